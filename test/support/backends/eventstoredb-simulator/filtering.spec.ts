import {
  type AllStreamSubscription,
  END,
  eventTypeFilter,
  excludeSystemEvents,
  type Filter,
  type Position,
  START,
  streamNameFilter,
} from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { eventually } from '../../harness/eventually.js';
import { itOnSimulator } from '../it-on-simulator.js';
import { startEventStoreDb } from '../start-eventstoredb.js';
import { CLASSIC, events, freshStream, idsOf, take } from './real-client.js';
import { runningServer } from './running-server.js';

const NOWHERE = 2n ** 64n - 1n;

const running = runningServer(startEventStoreDb);

async function append(stream: string, batch: ReturnType<typeof events>): Promise<Position> {
  const { position } = await running.client.appendToStream(stream, batch, CLASSIC);
  if (position === undefined) throw new Error('an append without a position');
  return position;
}

interface Place {
  readonly stream: string;
  readonly type: string;
}

/** Fifty and fifty events of three types in two streams, then two system events, all after a position. */
async function mixture() {
  const [left, right] = [freshStream(), freshStream()];
  const fromPosition = await append(freshStream(), events(1));
  const written: (Place & { readonly id: string })[] = [];
  for (const _round of Array.from({ length: 10 })) {
    for (const [stream, type, count] of [
      [left, 'Left', 5],
      [right, 'Right', 3],
      [right, 'Rightmost', 2],
    ] as const) {
      const batch = events(count, type);
      await append(stream, batch);
      written.push(...batch.map(({ id }) => ({ id, stream, type })));
    }
  }
  await running.client.setStreamMetadata(left, { maxCount: 1_000 });
  await running.client.setStreamMetadata(right, { maxCount: 1_000 });
  await append(left, events(1, 'Left'));
  return { left, written, fromPosition };
}

describe('a filter', () => {
  it.each<[string, (left: string) => Filter, (place: Place, left: string) => boolean]>([
    [
      'prefixes of stream names',
      (left) => streamNameFilter({ prefixes: ['none', left.slice(0, -1)] }),
      ({ stream }, left) => stream === left,
    ],
    [
      'a pattern of stream names',
      (left) => streamNameFilter({ regex: `^${left}$` }),
      ({ stream }, left) => stream === left,
    ],
    [
      'prefixes of types',
      () => eventTypeFilter({ prefixes: ['Left', 'Rightm'] }),
      ({ type }) => type !== 'Right',
    ],
    ['a pattern of types', () => eventTypeFilter({ regex: 'ight' }), ({ type }) => type !== 'Left'],
    ['all but the system', () => excludeSystemEvents(), () => true],
  ])('by %s gives what it names, in order', async (_what, filterOf, names) => {
    const { left, written, fromPosition } = await mixture();
    const expected = written.filter((place) => names(place, left));
    const subscription = running.client.subscribeToAll({ fromPosition, filter: filterOf(left) });
    const given = await take(subscription, expected.length);
    expect(idsOf(given)).toEqual(idsOf(expected));
  });
});

async function caughtUp(subscription: AllStreamSubscription): Promise<void> {
  await once(subscription.resume(), 'caughtUp');
  await subscription.unsubscribe();
}

describe('a checkpoint', () => {
  it('comes after so many events, wanted or not, and when all are passed', async () => {
    const { left, fromPosition } = await mixture();
    const checkpoints: Position[] = [];
    const filter = streamNameFilter({
      prefixes: [left],
      maxSearchWindow: 10,
      checkpointInterval: 2,
      checkpointReached: (_subscription, position) => void checkpoints.push(position),
    });
    await caughtUp(running.client.subscribeToAll({ fromPosition, filter }));
    expect(checkpoints.length).toBeGreaterThanOrEqual(6);
    expect(checkpoints.length).toBeLessThanOrEqual(8);
    const commits = checkpoints.map(({ commit }) => commit);
    expect(commits).toEqual(commits.toSorted((a, b) => Number(a - b)));
  });

  it('resumed from gives its own event again while catching up, and no other twice', async () => {
    const stream = freshStream();
    const fromPosition = await append(stream, events(1));
    await append(stream, events(64));
    const checkpoints: Position[] = [];
    const filter = streamNameFilter({
      prefixes: [stream],
      checkpointReached: (_subscription, position) => void checkpoints.push(position),
    });
    await caughtUp(running.client.subscribeToAll({ fromPosition, filter }));
    const [first] = checkpoints;
    expect(first).toMatchObject({ prepare: 0n });
    const again = await take(
      running.client.subscribeToAll({ fromPosition: first ?? START, filter }),
      33,
    );
    expect(again.map(({ revision }) => Number(revision))).toEqual(
      Array.from({ length: 33 }, (_, place) => place + 32),
    );
  });

  it('of a live subscription is not given again when resumed from', async () => {
    const stream = freshStream();
    const checkpoints: Position[] = [];
    const filter = streamNameFilter({
      prefixes: [stream],
      maxSearchWindow: 1,
      checkpointReached: (_subscription, position) => void checkpoints.push(position),
    });
    const subscription = running.client.subscribeToAll({ fromPosition: END, filter });
    await once(subscription.resume(), 'caughtUp');
    const written = await append(stream, events(1));
    const checkpoint = await eventually('the checkpoint of the event', () =>
      checkpoints.find(({ commit }) => commit === written.commit),
    );
    await subscription.unsubscribe();
    const next = events(1);
    await append(stream, next);
    const resumed = running.client.subscribeToAll({ fromPosition: checkpoint, filter });
    expect(idsOf(await take(resumed, 1))).toEqual(idsOf(next));
  });

  itOnSimulator('of a search that found nothing from the start on is no position', async () => {
    const empty = await startEventStoreDb();
    try {
      const checkpoints: Position[] = [];
      const filter = streamNameFilter({
        prefixes: [freshStream()],
        checkpointReached: (_subscription, position) => void checkpoints.push(position),
      });
      const one = running.clients.connect(empty);
      await one.appendToStream(freshStream(), events(3), CLASSIC);
      await caughtUp(one.subscribeToAll({ fromPosition: START, filter }));
      expect(checkpoints).toEqual([{ commit: NOWHERE, prepare: NOWHERE }]);
      const fromPosition = { commit: NOWHERE, prepare: NOWHERE };
      const resumed = one.subscribeToAll({ fromPosition });
      await once(resumed, 'caughtUp');
      const next = events(1);
      await one.appendToStream(freshStream(), next, CLASSIC);
      expect((await take(resumed, 1))[0]?.id).toBe(next[0]?.id);
    } finally {
      await empty.stop();
    }
  });
});

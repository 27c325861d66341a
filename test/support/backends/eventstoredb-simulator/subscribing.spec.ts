import { END, START, streamNameFilter } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { startEventStoreDb } from '../start-eventstoredb.js';
import { CLASSIC, event, events, freshStream, idsOf, take } from './real-client.js';
import { runningServer } from './running-server.js';

const running = runningServer(startEventStoreDb);

async function append(stream: string, batch: ReturnType<typeof events>) {
  const { position } = await running.client.appendToStream(stream, batch, CLASSIC);
  if (position === undefined) throw new Error('an append without a position');
  return position;
}

describe('a subscription to the log', () => {
  it('is confirmed, gives what is there, is caught up, and gives what comes', async () => {
    const fromPosition = await append(freshStream(), events(1));
    const [old, fresh] = [events(3), events(3)];
    await append(freshStream(), old);
    const subscription = running.client.subscribeToAll({ fromPosition });
    const seen: string[] = [];
    subscription.on('confirmation', () => seen.push('confirmation'));
    subscription.on('data', ({ event: recorded }) => seen.push(recorded?.id ?? ''));
    await once(subscription, 'caughtUp');
    await append(freshStream(), fresh);
    while (seen.length < 7) await once(subscription, 'data');
    await subscription.unsubscribe();
    expect(seen).toEqual(['confirmation', ...idsOf(old), ...idsOf(fresh)]);
    expect(subscription.id).toEqual(expect.any(String));
  });

  it('ends with an unsubscription, and its connection serves others', async () => {
    const subscription = running.client.subscribeToAll({ fromPosition: END });
    await once(subscription, 'caughtUp');
    const closed = once(subscription.resume(), 'close');
    await subscription.unsubscribe();
    await closed;
    const stream = freshStream();
    await append(stream, events(1));
    expect(await take(running.client.readStream(stream))).toHaveLength(1);
  });

  it('gives the events of all streams with one of its prefixes, in order', async () => {
    const streams = Array.from({ length: 3 }, freshStream);
    const fromPosition = await append(freshStream(), events(1));
    const wanted: string[] = [];
    for (const place of [0, 2, 1, 0, 2, 1, 1]) {
      const batch = events(2);
      await append(streams[place] ?? '', batch);
      if (place < 2) wanted.push(...idsOf(batch));
    }
    const filter = streamNameFilter({
      prefixes: streams.slice(0, 2).map((name) => name.slice(0, -1)),
    });
    const given = await take(
      running.client.subscribeToAll({ fromPosition, filter }),
      wanted.length,
    );
    expect(idsOf(given)).toEqual(wanted);
  });

  it('resumes after a position, and gives every event once, in order', async () => {
    const stream = freshStream();
    const batch = events(100);
    await append(stream, batch.slice(0, 50));
    const filter = streamNameFilter({ prefixes: [stream] });
    const first = await take(running.client.subscribeToAll({ fromPosition: START, filter }), 30);
    const last = first.at(-1);
    if (last === undefined) throw new Error('there is no event to resume after');
    const rest = running.client.subscribeToAll({ fromPosition: last.position, filter });
    await once(rest, 'confirmation');
    for (const one of batch.slice(50)) await append(stream, [one]);
    expect(idsOf([...first, ...(await take(rest, 70))])).toEqual(idsOf(batch));
  });

  it('gives what is written while it catches up once, in order', async () => {
    const stream = freshStream();
    const from = await append(stream, events(1));
    const batch = events(600);
    await append(stream, batch.slice(0, 300));
    const filter = streamNameFilter({ prefixes: [stream] });
    const subscription = running.client.subscribeToAll({ fromPosition: from, filter });
    const taking = take(subscription, 600);
    for (let at = 300; at < 600; at += 20) await append(stream, batch.slice(at, at + 20));
    expect(idsOf(await taking)).toEqual(idsOf(batch));
  });

  it('from the end gives only what comes', async () => {
    const stream = freshStream();
    await append(stream, events(2));
    const filter = streamNameFilter({ prefixes: [stream] });
    const subscription = running.client.subscribeToAll({ fromPosition: END, filter });
    await once(subscription, 'caughtUp');
    const fresh = events(1);
    await append(stream, fresh);
    expect(idsOf(await take(subscription, 1))).toEqual(idsOf(fresh));
  });

  it('goes live without a word from a position beyond the end, and leaves out what comes before it', async () => {
    const stream = freshStream();
    const { commit } = await append(stream, events(1));
    const beyond = { commit: commit + 1_000_000n, prepare: commit + 1_000_000n };
    const subscription = running.client.subscribeToAll({ fromPosition: beyond });
    const given: string[] = [];
    subscription.on('data', ({ event: recorded }) => given.push(recorded?.id ?? ''));
    await once(subscription, 'caughtUp');
    const skipped = event();
    await append(stream, [skipped]);
    const witness = running.client.subscribeToAll({ fromPosition: { commit, prepare: commit } });
    await take(witness, 1);
    await subscription.unsubscribe();
    expect(given).not.toContain(skipped.id);
  });

  it('is refused from where no event stands', async () => {
    const { commit } = await append(freshStream(), events(2));
    const fromPosition = { commit: commit - 1n, prepare: commit - 1n };
    await expect(take(running.client.subscribeToAll({ fromPosition }))).rejects.toMatchObject({
      type: 'unknown',
      code: 3,
    });
  });

  it('gives everything to a consumer that stood still for a while', async () => {
    const stream = freshStream();
    const batch = events(1_500);
    const fromPosition = await append(stream, events(1));
    const filter = streamNameFilter({ prefixes: [stream] });
    const subscription = running.client.subscribeToAll(
      { fromPosition, filter },
      { highWaterMark: 1 },
    );
    await once(subscription, 'confirmation');
    subscription.pause();
    for (let at = 0; at < 1_500; at += 500) await append(stream, batch.slice(at, at + 500));
    expect(idsOf(await take(subscription, 1_500))).toEqual(idsOf(batch));
  });
});

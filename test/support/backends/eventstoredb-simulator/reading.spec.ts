import { BACKWARDS, END, type Position } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { startEventStoreDb } from '../start-eventstoredb.js';
import { CLASSIC, event, events, freshStream, idsOf, type Recorded, take } from './real-client.js';
import { runningServer } from './running-server.js';

const running = runningServer(startEventStoreDb);

/** Makes a stream with a number of stored events. */
async function stored(count: number): Promise<{ stream: string; own: Recorded[] }> {
  const stream = freshStream();
  await running.client.appendToStream(stream, events(count), CLASSIC);
  return { stream, own: await take(running.client.readStream(stream)) };
}

function positionOf(events: readonly Recorded[], place: number): Position {
  const recorded = events[place];
  if (recorded === undefined) throw new Error(`there is no event ${place}`);
  return recorded.position;
}

async function revisions(reading: Parameters<typeof take>[0]): Promise<number[]> {
  return (await take(reading)).map(({ revision }) => Number(revision));
}

describe('reading a stream', () => {
  it.each([
    ['all of it', {}, [0, 1, 2, 3, 4]],
    ['from a revision on, with it', { fromRevision: 3n }, [3, 4]],
    ['so many', { maxCount: 2 }, [0, 1]],
    ['so many from a revision on', { fromRevision: 1n, maxCount: 2 }, [1, 2]],
    ['nothing beyond the end', { fromRevision: 5n }, []],
  ] as const)('gives %s', async (_what, options, expected) => {
    const { stream } = await stored(5);
    expect(await revisions(running.client.readStream(stream, options))).toEqual(expected);
  });

  it('says that there is no such stream', async () => {
    const streamName = freshStream();
    const reading = running.client.readStream(streamName);
    await expect(take(reading)).rejects.toMatchObject({ type: 'stream-not-found', streamName });
  });

  it('gives a long one in order to a reader who is slow at first', async () => {
    const { stream } = await stored(2_000);
    const reading = running.client.readStream(stream, {}, { highWaterMark: 1 });
    const iterator = reading[Symbol.asyncIterator]();
    await iterator.next();
    // While this read waits, others are served.
    expect(await revisions(running.client.readStream(stream, { maxCount: 1 }))).toEqual([0]);
    let last = await iterator.next();
    let count = 2;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      last = next;
      count += 1;
    }
    expect(count).toBe(2_000);
    expect(last.value).toMatchObject({ event: { revision: 1_999n } });
  });
});

describe('reading the log', () => {
  it('gives the events of all streams in the order of their positions', async () => {
    const { own } = await stored(1);
    const streams = [freshStream(), freshStream()];
    const written: string[] = [];
    for (const place of [0, 1, 0, 1, 1]) {
      const next = event();
      await running.client.appendToStream(streams[place] ?? '', next, CLASSIC);
      written.push(next.id);
    }
    const all = await take(running.client.readAll({ fromPosition: positionOf(own, 0) }));
    expect(idsOf(all.filter(({ streamId }) => streams.includes(streamId)))).toEqual(written);
    const commits = all.map(({ position }) => position.commit);
    expect(commits).toEqual(commits.toSorted((a, b) => Number(a - b)));
    expect(new Set(commits).size).toBe(commits.length);
  });

  it('forwards begins with the event at a position', async () => {
    const { own } = await stored(3);
    const fromPosition = positionOf(own, 1);
    const two = await take(running.client.readAll({ fromPosition, maxCount: 2 }));
    expect(idsOf(two)).toEqual(idsOf(own.slice(1)));
  });

  it('backwards begins before the event at a position', async () => {
    const { own } = await stored(3);
    const fromPosition = positionOf(own, 2);
    const two = await take(
      running.client.readAll({ direction: BACKWARDS, fromPosition, maxCount: 2 }),
    );
    expect(idsOf(two)).toEqual(idsOf([...own.slice(0, 2)].reverse()));
  });

  it('backwards from the end begins with the newest', async () => {
    const { own } = await stored(2);
    const reading = running.client.readAll({
      direction: BACKWARDS,
      fromPosition: END,
      maxCount: 50,
    });
    expect(idsOf(await take(reading))).toContain(own[1]?.id);
  });

  it('gives nothing beyond the end', async () => {
    const beyond = 2n ** 40n;
    const fromPosition = { commit: beyond, prepare: beyond };
    expect(await take(running.client.readAll({ fromPosition }))).toEqual([]);
  });

  it('is refused from where no event stands', async () => {
    const { own } = await stored(2);
    const { commit } = positionOf(own, 0);
    const fromPosition = { commit: commit + 1n, prepare: commit + 1n };
    await expect(take(running.client.readAll({ fromPosition }))).rejects.toMatchObject({ code: 2 });
  });
});

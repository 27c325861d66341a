import { BACKWARDS, END, FORWARDS, type Position, START } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../harness/eventually.js';
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
    ['backwards from the end', { direction: BACKWARDS, fromRevision: END }, [4, 3, 2, 1, 0]],
    ['the newest', { direction: BACKWARDS, fromRevision: END, maxCount: 1 }, [4]],
    ['backwards from a revision, with it', { direction: BACKWARDS, fromRevision: 2n }, [2, 1, 0]],
    ['backwards from the start', { direction: BACKWARDS, fromRevision: START }, [0]],
  ] as const)('gives %s', async (_what, options, expected) => {
    const { stream } = await stored(5);
    expect(await revisions(running.client.readStream(stream, options))).toEqual(expected);
  });

  it('says that there is no such stream', async () => {
    const stream = freshStream();
    for (const direction of [FORWARDS, BACKWARDS] as const) {
      const fromRevision = direction === FORWARDS ? START : END;
      const reading = running.client.readStream(stream, { direction, fromRevision });
      await expect(take(reading)).rejects.toMatchObject({
        type: 'stream-not-found',
        streamName: stream,
      });
    }
  });

  it.each([
    ['forwards from the end', { direction: FORWARDS, fromRevision: END }],
    ['for no events', { maxCount: 0 }],
  ] as const)('is refused %s', async (_what, options) => {
    const { stream } = await stored(1);
    await expect(take(running.client.readStream(stream, options))).rejects.toMatchObject({
      type: 'unknown',
      code: 2,
    });
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

describe('stream metadata', () => {
  it('is what was set last', async () => {
    const stream = freshStream();
    expect(await running.client.getStreamMetadata(stream)).toEqual({ streamName: stream });
    await running.client.setStreamMetadata(stream, { maxCount: 7 });
    await running.client.setStreamMetadata(stream, { truncateBefore: 3, mine: 'x' });
    expect((await running.client.getStreamMetadata(stream)).metadata).toEqual({
      truncateBefore: 3,
      mine: 'x',
    });
  });

  it.each([
    ['all but the last ones', { maxCount: 2 }, [3, 4]],
    ['those before a revision', { truncateBefore: 3 }, [3, 4]],
    ['all, and the stream is empty but there', { truncateBefore: 5 }, []],
    ['none that is young', { maxAge: 1_000 }, [0, 1, 2, 3, 4]],
  ])('hides %s', async (_what, metadata, visible) => {
    const { stream } = await stored(5);
    await running.client.setStreamMetadata(stream, metadata);
    expect(await revisions(running.client.readStream(stream))).toEqual(visible);
    const backwards = running.client.readStream(stream, {
      direction: BACKWARDS,
      fromRevision: END,
    });
    expect(await revisions(backwards)).toEqual(visible.toReversed());
  });

  it('hides events when they are older than it allows', async () => {
    const { stream } = await stored(2);
    await running.client.setStreamMetadata(stream, { maxAge: 1 });
    const gone = async () => (await take(running.client.readStream(stream))).length === 0;
    await eventually('the events to be too old', gone);
    await running.client.appendToStream(stream, event(), CLASSIC);
    expect(await revisions(running.client.readStream(stream))).toEqual([2]);
  });

  it('is an event of the log', async () => {
    const { stream, own } = await stored(1);
    await running.client.setStreamMetadata(stream, { maxCount: 1 });
    const all = await take(running.client.readAll({ fromPosition: positionOf(own, 0) }));
    expect(all.filter(({ type }) => type === '$metadata')).toContainEqual(
      expect.objectContaining({ streamId: `$$${stream}`, data: { $maxCount: 1 } }),
    );
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

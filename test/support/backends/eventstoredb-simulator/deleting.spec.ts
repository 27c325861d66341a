import {
  ANY,
  BACKWARDS,
  END,
  FORWARDS,
  NO_STREAM,
  START,
  STREAM_EXISTS,
} from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { startEventStoreDb } from '../start-eventstoredb.js';
import { APPEND_PATHS, CLASSIC, event, events, freshStream, idsOf, take } from './real-client.js';
import { runningServer } from './running-server.js';

const running = runningServer(startEventStoreDb);

async function streamOf(
  count: number,
): Promise<{ stream: string; batch: ReturnType<typeof events> }> {
  const stream = freshStream();
  const batch = events(count);
  await running.client.appendToStream(stream, batch, { ...CLASSIC, expectedRevision: NO_STREAM });
  return { stream, batch };
}

describe('a deleted stream', () => {
  it('is not found, and its events stay in the log', async () => {
    const { stream, batch } = await streamOf(2);
    const [first] = await take(running.client.readStream(stream));
    await running.client.deleteStream(stream);
    await expect(take(running.client.readStream(stream))).rejects.toMatchObject({
      type: 'stream-not-found',
      streamName: stream,
    });
    const all = await take(running.client.readAll({ fromPosition: first?.position ?? 'start' }));
    expect(idsOf(all)).toEqual(expect.arrayContaining(idsOf(batch)));
  });

  it.each(APPEND_PATHS)(
    'goes on after its last revision with a %s append',
    async (_path, options) => {
      for (const expectedRevision of [NO_STREAM, ANY, 1n] as const) {
        const { stream } = await streamOf(2);
        await running.client.deleteStream(stream);
        const next = event();
        const result = await running.client.appendToStream(stream, next, {
          ...options,
          expectedRevision,
        });
        expect(result.nextExpectedRevision).toBe(2n);
        expect(idsOf(await take(running.client.readStream(stream)))).toEqual([next.id]);
      }
    },
  );

  it.each(APPEND_PATHS)('still knows a %s append that comes again', async (_path, options) => {
    const { stream, batch } = await streamOf(2);
    await running.client.deleteStream(stream);
    const again = { ...options, expectedRevision: NO_STREAM } as const;
    const result = await running.client.appendToStream(stream, batch, again);
    expect(result.nextExpectedRevision).toBe(1n);
    await expect(take(running.client.readStream(stream))).rejects.toMatchObject({
      type: 'stream-not-found',
    });
  });

  it.each(APPEND_PATHS)('refuses a %s append to a stream that exists', async (_path, options) => {
    const { stream } = await streamOf(1);
    await running.client.deleteStream(stream);
    const append = running.client.appendToStream(stream, event(), {
      ...options,
      expectedRevision: STREAM_EXISTS,
    });
    await expect(append).rejects.toMatchObject({ type: 'stream-deleted', streamName: stream });
  });
});

describe('deleting', () => {
  it('conflicts when there is no stream', async () => {
    const stream = freshStream();
    await expect(running.client.deleteStream(stream)).rejects.toMatchObject({
      type: 'wrong-expected-version',
      streamName: stream,
      expectedVersion: -2n,
    });
  });

  it('conflicts at another revision', async () => {
    const { stream } = await streamOf(2);
    const deletion = running.client.deleteStream(stream, { expectedRevision: 0n });
    await expect(deletion).rejects.toMatchObject({
      type: 'wrong-expected-version',
      code: 9,
      expectedVersion: 0n,
      actualVersion: 1n,
    });
    await running.client.deleteStream(stream, { expectedRevision: 1n });
  });

  it('says no more than an error 500 about a stream whose name no header can carry', async () => {
    const { stream } = await streamOf(1);
    const deletion = running.client.deleteStream(`${stream}ü`);
    await expect(deletion).rejects.toMatchObject({ type: 'unknown', code: 2 });
    await expect(deletion).rejects.toThrow('500');
  });
});

describe('a tombstoned stream', () => {
  it.each(APPEND_PATHS)('refuses every %s append', async (_path, options) => {
    const { stream, batch } = await streamOf(1);
    await running.client.tombstoneStream(stream);
    for (const expectedRevision of [ANY, NO_STREAM, 0n, STREAM_EXISTS] as const) {
      const append = running.client.appendToStream(stream, batch, { ...options, expectedRevision });
      await expect(append).rejects.toMatchObject({ type: 'stream-deleted', streamName: stream });
    }
  });

  it('can be neither read nor subscribed to', async () => {
    const { stream } = await streamOf(1);
    await running.client.tombstoneStream(stream);
    const gone = { type: 'stream-deleted', streamName: stream };
    for (const direction of [FORWARDS, BACKWARDS] as const) {
      const fromRevision = direction === FORWARDS ? START : END;
      const newest = running.client.readStream(stream, { direction, fromRevision, maxCount: 1 });
      await expect(take(newest)).rejects.toMatchObject(gone);
    }
    await expect(take(running.client.subscribeToStream(stream))).rejects.toMatchObject(gone);
  });

  it('has its tombstone among its own events in the log', async () => {
    const { stream } = await streamOf(1);
    const [first] = await take(running.client.readStream(stream));
    await running.client.tombstoneStream(stream);
    const all = await take(running.client.readAll({ fromPosition: first?.position ?? 'start' }));
    const own = all.filter(({ streamId }) => streamId === stream);
    expect(own.at(-1)).toMatchObject({ type: '$streamDeleted', revision: 9223372036854775807n });
  });

  it('need not have existed', async () => {
    const stream = freshStream();
    await running.client.tombstoneStream(stream);
    await expect(running.client.appendToStream(stream, event(), CLASSIC)).rejects.toMatchObject({
      type: 'stream-deleted',
    });
  });
});

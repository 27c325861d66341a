import { ANY, NO_STREAM, START } from '@eventstore/db-client';
import { expect, it } from '@jest/globals';
import { startEventStoreDb } from '../start-eventstoredb.js';
import { CLASSIC, event, freshStream, take } from './real-client.js';
import { runningServer } from './running-server.js';

const running = runningServer(startEventStoreDb);

it('a tombstoned stream can be neither written nor read, and has its tombstone in the log', async () => {
  const stream = freshStream();
  const one = event();
  const { position } = await running.client.appendToStream(stream, one, CLASSIC);
  await running.client.tombstoneStream(stream);
  const gone = { type: 'stream-deleted', streamName: stream };
  for (const expectedRevision of [ANY, NO_STREAM, 0n] as const) {
    const append = running.client.appendToStream(stream, one, { ...CLASSIC, expectedRevision });
    await expect(append).rejects.toMatchObject(gone);
  }
  await expect(take(running.client.readStream(stream))).rejects.toMatchObject(gone);
  const all = await take(running.client.readAll({ fromPosition: position ?? START }));
  const own = all.filter(({ streamId }) => streamId === stream);
  expect(own.at(-1)).toMatchObject({ type: '$streamDeleted', revision: 9223372036854775807n });
});

it('a tombstoned stream need not have existed', async () => {
  const stream = freshStream();
  await running.client.tombstoneStream(stream);
  await expect(running.client.appendToStream(stream, event(), CLASSIC)).rejects.toMatchObject({
    type: 'stream-deleted',
  });
});

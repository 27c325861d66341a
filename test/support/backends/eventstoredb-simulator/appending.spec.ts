import { ANY, binaryEvent, jsonEvent, NO_STREAM, START } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { startEventStoreDb } from '../start-eventstoredb.js';
import { CLASSIC, event, events, freshStream, idsOf, take } from './real-client.js';
import { runningServer } from './running-server.js';

const MAX_APPEND_BYTES = 1024 * 1024;

const running = runningServer(startEventStoreDb);

describe('an append', () => {
  it('answers with the revision and the position of its last event', async () => {
    const stream = freshStream();
    const result = await running.client.appendToStream(stream, events(3), {
      ...CLASSIC,
      expectedRevision: NO_STREAM,
    });
    const stored = await take(running.client.readStream(stream));
    expect(result).toEqual({
      success: true,
      nextExpectedRevision: 2n,
      position: stored[2]?.position,
    });
  });

  it('continues a stream at the revision of its last event', async () => {
    const stream = freshStream();
    const first = await running.client.appendToStream(stream, events(2), CLASSIC);
    const expectedRevision = first.nextExpectedRevision;
    const next = await running.client.appendToStream(stream, event(), {
      ...CLASSIC,
      expectedRevision,
    });
    expect(next.nextExpectedRevision).toBe(2n);
  });

  it.each([
    ['a stream that must not exist', NO_STREAM, 'no_stream', 1n],
    ['a revision that is passed', 0n, 0n, 1n],
    ['a revision to come', 7n, 7n, 1n],
  ] as const)(
    'conflicts when it expects %s',
    async (_what, expectedRevision, expectedVersion, actualVersion) => {
      const stream = freshStream();
      await running.client.appendToStream(stream, events(2), CLASSIC);
      const append = running.client.appendToStream(stream, event(), {
        ...CLASSIC,
        expectedRevision,
      });
      await expect(append).rejects.toMatchObject({
        type: 'wrong-expected-version',
        message: '',
        streamName: stream,
        expectedVersion,
        actualVersion,
      });
      expect(await take(running.client.readStream(stream))).toHaveLength(2);
    },
  );

  it('conflicts when it expects a revision of a stream that is not there', async () => {
    const append = running.client.appendToStream(freshStream(), event(), {
      ...CLASSIC,
      expectedRevision: 5n,
    });
    await expect(append).rejects.toMatchObject({
      type: 'wrong-expected-version',
      expectedVersion: 5n,
      actualVersion: 'no_stream',
    });
  });

  it('keeps data, metadata, type and id as they came', async () => {
    const stream = freshStream();
    const before = Date.now();
    const sent = {
      id: randomUUID(),
      type: 'Über',
      data: { text: 'ü\u0000😀', list: [1, null] },
      metadata: { from: 'here' },
    };
    const binary = binaryEvent({
      id: randomUUID(),
      type: 'Bytes',
      data: Uint8Array.of(0, 255, 7),
      metadata: Uint8Array.of(1, 254),
    });
    await running.client.appendToStream(stream, [jsonEvent(sent), binary], CLASSIC);
    const [first, second] = await take(running.client.readStream(stream));
    expect(first).toMatchObject({ ...sent, isJson: true, streamId: stream, revision: 0n });
    expect(second).toMatchObject({ id: binary.id, type: 'Bytes', isJson: false, revision: 1n });
    expect(second?.data).toEqual(Uint8Array.of(0, 255, 7));
    expect(second?.metadata).toEqual(Uint8Array.of(1, 254));
    expect(first?.created.getTime()).toBeGreaterThanOrEqual(before - 1);
  });

  it('takes 1 MiB and refuses more', async () => {
    const type = 'Big';
    const data = (bytes: number) => new Uint8Array(bytes).fill(1);
    const fits = binaryEvent({ type, data: data(MAX_APPEND_BYTES - 2 * type.length) });
    const stream = freshStream();
    await running.client.appendToStream(stream, fits, CLASSIC);
    const tooBig = binaryEvent({ type, data: data(MAX_APPEND_BYTES + 1) });
    await expect(running.client.appendToStream(stream, tooBig, CLASSIC)).rejects.toMatchObject({
      type: 'maximum-append-size-exceeded',
      maxAppendSize: MAX_APPEND_BYTES,
    });
    expect(await take(running.client.readStream(stream))).toHaveLength(1);
  });

  it('keeps the order of 64 writers of one stream without a gap', async () => {
    const stream = freshStream();
    const written = await Promise.all(
      Array.from({ length: 64 }, () =>
        running.client.appendToStream(stream, events(2), { ...CLASSIC, expectedRevision: ANY }),
      ),
    );
    const stored = await take(running.client.readStream(stream));
    expect(stored.map(({ revision }) => revision)).toEqual(stored.map((_, place) => BigInt(place)));
    const lastOnes = written.map(({ nextExpectedRevision }) => nextExpectedRevision);
    expect(new Set(lastOnes).size).toBe(64);
  });
});

it.each([
  ['an id that is none', { id: 'nonsense', type: 'Happened' }],
  ['an id of zeros', { id: '00000000-0000-0000-0000-000000000000', type: 'Happened' }],
  ['an empty type', { id: randomUUID(), type: '' }],
])('an append refuses %s', async (_what, wrong) => {
  const append = running.client.appendToStream(
    freshStream(),
    jsonEvent({ ...wrong, data: {} }),
    CLASSIC,
  );
  await expect(append).rejects.toMatchObject({ type: 'unknown', code: 2 });
});

it('positions rise with gaps from the first on, the same for commit and prepare', async () => {
  const stream = freshStream();
  for (const batch of [1, 3, 2])
    await running.client.appendToStream(stream, events(batch), CLASSIC);
  const positions = (await take(running.client.readStream(stream))).map(({ position }) => position);
  expect(positions).toHaveLength(6);
  expect(positions[0]?.commit).toBeGreaterThan(0n);
  for (const [place, { commit, prepare }] of positions.entries()) {
    expect(prepare).toBe(commit);
    const previous = positions[place - 1];
    if (previous !== undefined) expect(commit - previous.commit).toBeGreaterThan(1n);
  }
});

it('events of one append stand together, however many append at once', async () => {
  const { position } = await running.client.appendToStream(freshStream(), event(), CLASSIC);
  const batches = Array.from({ length: 20 }, () => events(5));
  await Promise.all(
    batches.map((batch) => running.client.appendToStream(freshStream(), batch, CLASSIC)),
  );
  const all = idsOf(await take(running.client.readAll({ fromPosition: position ?? START }))).join();
  for (const batch of batches) expect(all).toContain(idsOf(batch).join());
});

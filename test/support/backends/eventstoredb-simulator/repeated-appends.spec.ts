import { ANY, NO_STREAM, STREAM_EXISTS } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { itOnSimulator } from '../it-on-simulator.js';
import { startEventStoreDb } from '../start-eventstoredb.js';
import { APPEND_PATHS, event, events, freshStream, idsOf, take } from './real-client.js';
import { runningServer } from './running-server.js';

const running = runningServer(startEventStoreDb);

describe.each(APPEND_PATHS)('a %s append that comes again', (_path, options) => {
  const append = (
    stream: string,
    batch: ReturnType<typeof events>,
    expectedRevision: bigint | typeof NO_STREAM | typeof ANY | typeof STREAM_EXISTS,
  ) => running.client.appendToStream(stream, batch, { ...options, expectedRevision });
  const stored = async (stream: string) => idsOf(await take(running.client.readStream(stream)));

  it('gives what it gave, and writes nothing, though others have appended since', async () => {
    const stream = freshStream();
    const batch = events(2);
    const first = await append(stream, batch, NO_STREAM);
    const second = await append(stream, events(1), 1n);
    const other = events(1);
    await append(stream, other, 2n);
    expect(await append(stream, batch, NO_STREAM)).toEqual(first);
    expect(second.nextExpectedRevision).toBe(2n);
    expect(await stored(stream)).toHaveLength(4);
  });

  it('is known by a part of it from the beginning on', async () => {
    const stream = freshStream();
    const [one, two, three] = [event(), event(), event()];
    await append(stream, [one, two, three], NO_STREAM);
    const again = await append(stream, [one, two], NO_STREAM);
    const [, second] = await take(running.client.readStream(stream));
    expect(again).toEqual({ success: true, nextExpectedRevision: 1n, position: second?.position });
    expect(await stored(stream)).toHaveLength(3);
  });

  it('conflicts with more events than it had', async () => {
    const stream = freshStream();
    const batch = events(2);
    await append(stream, batch, NO_STREAM);
    await expect(append(stream, [...batch, event()], NO_STREAM)).rejects.toMatchObject({
      type: 'wrong-expected-version',
      expectedVersion: 'no_stream',
      actualVersion: 1n,
    });
    expect(await stored(stream)).toHaveLength(2);
  });

  it('conflicts when a later event differs, and writes nothing', async () => {
    const stream = freshStream();
    const [one, two] = [event(), event()];
    await append(stream, [one, two], NO_STREAM);
    await expect(append(stream, [one, event()], NO_STREAM)).rejects.toMatchObject({
      type: 'wrong-expected-version',
    });
    expect(await stored(stream)).toEqual(idsOf([one, two]));
  });

  it('is known by its ids, whatever its data', async () => {
    const stream = freshStream();
    const one = event('Happened', { is: 'first' });
    const first = await append(stream, [one], NO_STREAM);
    const other = { ...one, type: 'Else', data: { is: 'second' } };
    expect(await append(stream, [other], NO_STREAM)).toEqual(first);
  });

  it('is written twice at the current revision', async () => {
    const stream = freshStream();
    const one = event();
    await append(stream, [one], NO_STREAM);
    await append(stream, [one], 0n);
    expect(await stored(stream)).toEqual([one.id, one.id]);
  });

  it('is written in another stream', async () => {
    const one = event();
    await append(freshStream(), [one], ANY);
    const other = freshStream();
    await append(other, [one], ANY);
    expect(await stored(other)).toEqual([one.id]);
  });

  it.each([ANY, STREAM_EXISTS] as const)(
    'gives what it gave when it expects %s',
    async (expected) => {
      const stream = freshStream();
      const batch = events(2);
      const first = await append(stream, batch, ANY);
      await append(stream, events(1), ANY);
      expect(await append(stream, batch, expected)).toEqual(first);
      expect(await stored(stream)).toHaveLength(3);
    },
  );

  it.each([ANY, STREAM_EXISTS] as const)(
    'expecting %s, is written with a new event before it and conflicts with one after it',
    async (expected) => {
      const stream = freshStream();
      const known = event();
      await append(stream, [known], ANY);
      await expect(append(stream, [known, event()], expected)).rejects.toMatchObject({
        type: 'wrong-expected-version',
        actualVersion: 0n,
      });
      const fresh = event();
      await append(stream, [fresh, known], expected);
      expect(await stored(stream)).toEqual([known.id, fresh.id, known.id]);
    },
  );

  it('without a place is known only as long as it is among the last ones written', async () => {
    const stream = freshStream();
    const batch = events(1);
    await append(stream, batch, ANY);
    // The server keeps 8 MiB of ids. Most of the size of an entry is the name of its stream.
    const long = freshStream().padEnd(1_000, 'x');
    for (let round = 0; round < 5; round += 1) await append(long, events(1_000), ANY);
    await append(stream, batch, ANY);
    expect(await stored(stream)).toHaveLength(2);
  });

  itOnSimulator('is known after a restart by its place, and not known without one', async () => {
    const stream = freshStream();
    const batch = events(2);
    const first = await append(stream, batch, NO_STREAM);
    await running.server.restart();
    running.reconnect();
    expect(await append(stream, batch, NO_STREAM)).toEqual(first);
    await append(stream, batch, ANY);
    expect(await stored(stream)).toEqual([...idsOf(batch), ...idsOf(batch)]);
  });
});

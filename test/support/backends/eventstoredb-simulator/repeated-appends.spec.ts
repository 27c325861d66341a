import { NO_STREAM } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { itOnSimulator } from '../it-on-simulator.js';
import { startEventStoreDb } from '../start-eventstoredb.js';
import { CLASSIC, event, events, freshStream, idsOf, take } from './real-client.js';
import { runningServer } from './running-server.js';

const running = runningServer(startEventStoreDb);

describe('an append that comes again', () => {
  const append = (
    stream: string,
    batch: ReturnType<typeof events>,
    expectedRevision: bigint | typeof NO_STREAM,
  ) => running.client.appendToStream(stream, batch, { ...CLASSIC, expectedRevision });
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
    await append(freshStream(), [one], NO_STREAM);
    const other = freshStream();
    await append(other, [one], NO_STREAM);
    expect(await stored(other)).toEqual([one.id]);
  });

  itOnSimulator('is known after a restart', async () => {
    const stream = freshStream();
    const batch = events(2);
    const first = await append(stream, batch, NO_STREAM);
    await running.server.restart();
    running.reconnect();
    expect(await append(stream, batch, NO_STREAM)).toEqual(first);
    expect(await stored(stream)).toEqual(idsOf(batch));
  });
});

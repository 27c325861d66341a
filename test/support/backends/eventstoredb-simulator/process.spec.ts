import { NO_STREAM, type Position, START } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { eventually } from '../../harness/eventually.js';
import { CLASSIC, event, events, follow, freshStream, idsOf, take } from './real-client.js';
import { runningServer } from './running-server.js';
import { SimulatorProcess } from './simulator-process.js';

const running = runningServer(() => SimulatorProcess.start());

describe('a kill', () => {
  it('takes nothing that was answered', async () => {
    const streams = Array.from({ length: 16 }, freshStream);
    const acknowledged: string[] = [];
    const writers = streams.map(async (stream) => {
      for (;;) {
        const next = event();
        await running.client.appendToStream(stream, next, CLASSIC);
        acknowledged.push(next.id);
      }
    });
    const ends = Promise.allSettled(writers);
    await eventually('200 appends', () => acknowledged.length >= 200);
    await running.server.restart();
    for (const end of await ends) {
      expect(end).toMatchObject({ status: 'rejected', reason: { code: 14 } });
    }
    const stored = new Set(idsOf(await take(running.client.readAll({ fromPosition: START }))));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  });

  it('drops a subscription with an error and nothing else, and it resumes exactly', async () => {
    const stream = freshStream();
    const batch = events(6);
    await running.client.appendToStream(stream, batch.slice(0, 3), CLASSIC);
    const subscription = follow(running.client, stream);
    const told: string[] = [];
    for (const name of ['end', 'close']) subscription.on(name, () => told.push(name));
    const given: string[] = [];
    let last: Position | undefined;
    subscription.on('data', ({ event: recorded }) => {
      given.push(recorded?.id ?? '');
      last = recorded?.position;
    });
    await eventually('three events', () => given.length === 3);
    const dropped = once(subscription, 'error');
    await running.server.kill();
    const [error] = (await dropped) as [unknown];
    expect(error).toMatchObject({ type: 'unavailable', code: 14 });
    expect(told).toEqual([]);
    expect(subscription.destroyed).toBe(false);
    await running.server.restart();
    await running.client.appendToStream(stream, batch.slice(3), CLASSIC);
    const rest = await take(follow(running.client, stream, last), 3);
    expect([...given, ...idsOf(rest)]).toEqual(idsOf(batch));
  });

  it('lets calls fail at once until the server is back, and then no more', async () => {
    const stream = freshStream();
    await running.server.kill();
    const unavailable = { type: 'unavailable', code: 14 };
    const append = running.client.appendToStream(stream, event(), CLASSIC);
    await expect(append).rejects.toMatchObject(unavailable);
    await expect(take(running.client.readStream(stream))).rejects.toMatchObject(unavailable);
    await running.server.restart();
    await running.client.appendToStream(stream, event(), {
      ...CLASSIC,
      expectedRevision: NO_STREAM,
    });
    expect(await take(running.client.readStream(stream))).toHaveLength(1);
  });
});

it('a server that is told to stop cancels what is open, and stops', async () => {
  const subscription = running.client.subscribeToAll({ fromPosition: START });
  await once(subscription.resume(), 'caughtUp');
  const dropped = once(subscription, 'error');
  await running.server.kill('SIGTERM');
  const [error] = (await dropped) as [unknown];
  expect(error).toMatchObject({ type: 'cancelled', code: 1 });
  await running.server.restart();
});

describe('a restart', () => {
  it('keeps revisions, positions and tombstones', async () => {
    const [kept, gone] = [freshStream(), freshStream()];
    await running.client.appendToStream(kept, events(3), CLASSIC);
    await running.client.tombstoneStream(gone);
    const before = await take(running.client.readAll({ fromPosition: START }));
    await running.server.restart();
    running.reconnect();
    expect(await take(running.client.readAll({ fromPosition: START }))).toEqual(before);
    await expect(take(running.client.readStream(gone))).rejects.toMatchObject({
      type: 'stream-deleted',
    });
    const next = await running.client.appendToStream(kept, event(), {
      ...CLASSIC,
      expectedRevision: 2n,
    });
    expect(next.position?.commit).toBeGreaterThan(before.at(-1)?.position.commit ?? 0n);
  });

  it.each([
    [
      'half of a record',
      () => truncateSync(running.server.file, statSync(running.server.file).size - 30),
    ],
    [
      'a record without its end',
      () => truncateSync(running.server.file, statSync(running.server.file).size - 1),
    ],
    [
      'a record whose end is blank',
      () => writeFileSync(running.server.file, blanked(running.server.file, 4)),
    ],
  ])('cuts off %s, the whole append with it', async (_what, tear) => {
    const [stream, torn] = [freshStream(), freshStream()];
    await running.client.appendToStream(stream, events(2), CLASSIC);
    await running.client.appendToStream(torn, events(3), CLASSIC);
    await running.server.kill();
    tear();
    await running.server.restart();
    running.reconnect();
    expect(await take(running.client.readStream(stream))).toHaveLength(2);
    await expect(take(running.client.readStream(torn))).rejects.toMatchObject({
      type: 'stream-not-found',
    });
    await running.client.appendToStream(torn, event(), { ...CLASSIC, expectedRevision: NO_STREAM });
    await running.server.restart();
    expect(await take(running.client.readStream(torn))).toHaveLength(1);
  });

  it('cuts off the first bytes of a record', async () => {
    const stream = freshStream();
    await running.client.appendToStream(stream, events(2), CLASSIC);
    await running.server.kill();
    appendFileSync(running.server.file, Buffer.of(200, 0));
    await running.server.restart();
    running.reconnect();
    await running.client.appendToStream(stream, event(), { ...CLASSIC, expectedRevision: 1n });
    await running.server.restart();
    expect(await take(running.clients.connect(running.server).readStream(stream))).toHaveLength(3);
  });

  it('after a wipe finds an empty log, whose positions begin again', async () => {
    const first = await running.client.appendToStream(freshStream(), events(20), CLASSIC);
    await running.server.wipe();
    running.reconnect();
    expect(await take(running.client.readAll({ fromPosition: START }))).toEqual([]);
    const again = await running.client.appendToStream(freshStream(), event(), CLASSIC);
    expect(again.position?.commit).toBeLessThan(first.position?.commit ?? 0n);
  });
});

describe('a frozen server', () => {
  it('lets an append run into its deadline, and answers again when it thaws', async () => {
    const stream = freshStream();
    const hasty = running.clients.connect(running.server, 'defaultDeadline=300');
    await hasty.appendToStream(stream, event(), CLASSIC);
    running.server.freeze();
    await expect(hasty.appendToStream(stream, event(), CLASSIC)).rejects.toMatchObject({
      type: 'deadline-exceeded',
      code: 4,
    });
    running.server.thaw();
    await running.client.appendToStream(stream, event(), CLASSIC);
    expect((await take(running.client.readStream(stream))).length).toBeGreaterThanOrEqual(2);
  });
});

/** Gives a file's content with zeros at its end, as on a disk that never wrote the last bytes. */
function blanked(file: string, bytes: number): Buffer {
  const content = readFileSync(file);
  return content.fill(0, content.length - bytes);
}

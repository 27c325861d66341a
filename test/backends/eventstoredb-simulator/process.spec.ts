import { type EventStoreDBClient, NO_STREAM, START } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { eventually } from '../../harness/eventually.js';
import { CLASSIC, Clients, event, events, freshStream, idsOf, take } from './real-client.js';
import { SimulatorProcess } from './simulator-process.js';

let server: SimulatorProcess;
let client: EventStoreDBClient;
const clients = new Clients();

beforeAll(async () => {
  server = await SimulatorProcess.start();
  client = clients.connect(server);
});

afterAll(async () => {
  await clients.dispose();
  await server.stop();
});

describe('a kill', () => {
  it('takes nothing that was answered', async () => {
    const streams = Array.from({ length: 16 }, freshStream);
    const acknowledged: string[] = [];
    const writers = streams.map(async (stream) => {
      for (;;) {
        const next = event();
        await client.appendToStream(stream, next, CLASSIC);
        acknowledged.push(next.id);
      }
    });
    const ends = Promise.allSettled(writers);
    await eventually('200 appends', () => acknowledged.length >= 200);
    await server.restart();
    for (const end of await ends) {
      expect(end).toMatchObject({ status: 'rejected', reason: { code: 14 } });
    }
    const stored = new Set(idsOf(await take(client.readAll({ fromPosition: START }))));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  });

  it('drops a subscription with an error and nothing else, and it resumes exactly', async () => {
    const stream = freshStream();
    const batch = events(6);
    await client.appendToStream(stream, batch.slice(0, 3), CLASSIC);
    const subscription = client.subscribeToStream(stream, { fromRevision: START });
    const told: string[] = [];
    for (const name of ['end', 'close']) subscription.on(name, () => told.push(name));
    const given: string[] = [];
    let last = -1n;
    subscription.on('data', ({ event: recorded }) => {
      given.push(recorded?.id ?? '');
      last = recorded?.revision ?? last;
    });
    await eventually('three events', () => given.length === 3);
    const dropped = once(subscription, 'error');
    await server.kill();
    const [error] = (await dropped) as [unknown];
    expect(error).toMatchObject({ type: 'unavailable', code: 14 });
    expect(told).toEqual([]);
    expect(subscription.destroyed).toBe(false);
    await server.restart();
    await client.appendToStream(stream, batch.slice(3), CLASSIC);
    const rest = await take(client.subscribeToStream(stream, { fromRevision: last }), 3);
    expect([...given, ...idsOf(rest)]).toEqual(idsOf(batch));
  });

  it('lets calls fail at once until the server is back, and then no more', async () => {
    const stream = freshStream();
    const fresh = clients.connect(server);
    await server.kill();
    const batch = fresh.appendToStream(stream, event());
    await expect(batch).rejects.toMatchObject({ code: 14 });
    await expect(batch).rejects.not.toHaveProperty('type');
    const unavailable = { type: 'unavailable', code: 14 };
    const classic = client.appendToStream(stream, event(), CLASSIC);
    await expect(classic).rejects.toMatchObject(unavailable);
    await expect(take(client.readStream(stream))).rejects.toMatchObject(unavailable);
    await server.restart();
    await client.appendToStream(stream, event(), { ...CLASSIC, expectedRevision: NO_STREAM });
    await fresh.appendToStream(stream, event(), { expectedRevision: 0n });
    expect(await take(client.readStream(stream))).toHaveLength(2);
  });
});

it('a server that is told to stop cancels what is open, and stops', async () => {
  const subscription = client.subscribeToAll({ fromPosition: START });
  await once(subscription.resume(), 'caughtUp');
  const dropped = once(subscription, 'error');
  await server.kill('SIGTERM');
  const [error] = (await dropped) as [unknown];
  expect(error).toMatchObject({ type: 'cancelled', code: 1 });
  await server.restart();
});

describe('a restart', () => {
  it('keeps revisions, positions, metadata and tombstones', async () => {
    const [kept, hidden, gone] = [freshStream(), freshStream(), freshStream()];
    await client.appendToStream(kept, events(3), CLASSIC);
    await client.appendToStream(hidden, events(3), CLASSIC);
    await client.setStreamMetadata(hidden, { maxCount: 1 });
    await client.tombstoneStream(gone);
    const before = await take(client.readAll({ fromPosition: START }));
    await server.restart();
    client = clients.connect(server);
    expect(await take(client.readAll({ fromPosition: START }))).toEqual(before);
    expect(await take(client.readStream(hidden))).toMatchObject([{ revision: 2n }]);
    await expect(take(client.readStream(gone))).rejects.toMatchObject({ type: 'stream-deleted' });
    const next = await client.appendToStream(kept, event(), { ...CLASSIC, expectedRevision: 2n });
    expect(next.position?.commit).toBeGreaterThan(before.at(-1)?.position.commit ?? 0n);
  });

  it.each([
    ['half of a record', () => truncateSync(server.file, statSync(server.file).size - 30)],
    ['a record without its end', () => truncateSync(server.file, statSync(server.file).size - 1)],
    ['a record whose end is blank', () => writeFileSync(server.file, blanked(server.file, 4))],
  ])('cuts off %s, the whole append with it', async (_what, tear) => {
    const [stream, torn] = [freshStream(), freshStream()];
    await client.appendToStream(stream, events(2), CLASSIC);
    await client.appendToStream(torn, events(3), CLASSIC);
    await server.kill();
    tear();
    await server.restart();
    client = clients.connect(server);
    expect(await take(client.readStream(stream))).toHaveLength(2);
    await expect(take(client.readStream(torn))).rejects.toMatchObject({ type: 'stream-not-found' });
    await client.appendToStream(torn, event(), { ...CLASSIC, expectedRevision: NO_STREAM });
    await server.restart();
    expect(await take(client.readStream(torn))).toHaveLength(1);
  });

  it('cuts off the first bytes of a record', async () => {
    const stream = freshStream();
    await client.appendToStream(stream, events(2), CLASSIC);
    await server.kill();
    appendFileSync(server.file, Buffer.of(200, 0));
    await server.restart();
    client = clients.connect(server);
    await client.appendToStream(stream, event(), { ...CLASSIC, expectedRevision: 1n });
    await server.restart();
    expect(await take(clients.connect(server).readStream(stream))).toHaveLength(3);
  });

  it('after a wipe finds an empty log, whose positions begin again', async () => {
    const first = await client.appendToStream(freshStream(), events(20), CLASSIC);
    await server.wipe();
    client = clients.connect(server);
    expect(await take(client.readAll({ fromPosition: START }))).toEqual([]);
    const again = await client.appendToStream(freshStream(), event(), CLASSIC);
    expect(again.position?.commit).toBeLessThan(first.position?.commit ?? 0n);
  });
});

describe('a frozen server', () => {
  it('lets a classic append run into its deadline, and answers again when it thaws', async () => {
    const stream = freshStream();
    const hasty = clients.connect(server, 'defaultDeadline=300');
    await hasty.appendToStream(stream, event(), CLASSIC);
    server.freeze();
    await expect(hasty.appendToStream(stream, event(), CLASSIC)).rejects.toMatchObject({
      type: 'deadline-exceeded',
      code: 4,
    });
    server.thaw();
    await client.appendToStream(stream, event(), CLASSIC);
    expect((await take(client.readStream(stream))).length).toBeGreaterThanOrEqual(2);
  });
});

/** What a file holds, with its last bytes as a disk leaves them that never wrote them. */
function blanked(file: string, bytes: number): Buffer {
  const content = readFileSync(file);
  return content.fill(0, content.length - bytes);
}

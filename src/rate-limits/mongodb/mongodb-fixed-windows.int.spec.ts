import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { withoutAnIndex } from '../../../test/backends/backed-by-an-index.js';
import { CommandGate } from '../../../test/backends/command-gate.js';
import { describeOnMongoDb } from '../../../test/backends/on-mongodb.js';
import { fixedWindowsContract } from '../../../test/contracts/fixed-windows.contract.js';
import { Connection } from '../../read-store/mongodb/connection.js';
import { MongoDbFixedWindows } from './mongodb-fixed-windows.js';

const NOW = new Date('2026-03-29T01:00:00.000Z');

describeOnMongoDb('rate limits counted in MongoDB', (server) => {
  let gate: CommandGate;
  let client: MongoClient;
  let connections: [Connection, Connection];
  let windows: [MongoDbFixedWindows, MongoDbFixedWindows];

  beforeAll(async () => {
    const uri = server().freshUri();
    gate = await CommandGate.open(uri);
    client = new MongoClient(uri);
    connections = [new Connection(gate.uri), new Connection(gate.uri)];
    const [one, other] = connections;
    windows = [new MongoDbFixedWindows(one), new MongoDbFixedWindows(other)];
  });

  afterAll(async () => {
    for (const one of windows) one.close();
    for (const connection of connections) await connection.close();
    await client.close();
    gate.close();
  });

  fixedWindowsContract('in MongoDB', () => windows[0]);

  it('are one count for all processes, which any of them can give back to', async () => {
    const id = randomUUID();
    const limit = { count: 10, seconds: 60 };
    const uses = await Promise.all(
      Array.from({ length: 30 }, (_, turn) => windows[turn % 2 ? 0 : 1].use(id, limit, NOW)),
    );
    const granted = uses.filter((use) => use.granted);
    expect(granted).toHaveLength(limit.count);
    const [first] = uses;
    if (!first) throw new Error('nothing was used');
    expect(await windows[1].giveBack(id, first.window)).toMatchObject({ used: 9 });
    expect(await windows[0].use(id, limit, NOW)).toMatchObject({ granted: true });
    expect(await windows[1].use(id, limit, NOW)).toMatchObject({ granted: false });
  });

  it('are dropped a minute after their end, and not before', async () => {
    const id = randomUUID();
    const [one] = windows;
    await one.use(id, { count: 1, seconds: 60 }, NOW);
    const kept = () =>
      client
        .db()
        .collection('rate_limit_windows')
        .findOne({ endsAt: afterNow(60) });
    await one.sweep(afterNow(119.999));
    expect(await kept()).not.toBeNull();
    await one.sweep(afterNow(120));
    expect(await kept()).toBeNull();
  });

  it('are found by an index, in all of the above', () => {
    expect(gate.seen.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['find', 'findAndModify', 'delete']),
    );
    expect(withoutAnIndex(gate.seen)).toEqual([]);
  });
});

function afterNow(seconds: number): Date {
  return new Date(NOW.getTime() + seconds * 1_000);
}

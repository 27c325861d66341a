import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ClientSession, type Collection, MongoClient, UUID } from 'mongodb';
import { MongoDbSimulator } from './mongodb-simulator.js';

interface Thing {
  readonly _id: string;
  readonly sum: number;
  readonly text?: string;
}

const SOME = 9 * 1024 * 1024;

/** A real replica set was seen to do all of this, and no map of documents does it. */
describe('the simulator of MongoDB', () => {
  let simulator: MongoDbSimulator;
  let client: MongoClient;
  let things: Collection<Thing>;

  beforeEach(async () => {
    simulator = await MongoDbSimulator.open();
    client = await MongoClient.connect(simulator.uri('test'));
    things = client.db().collection('things');
    await things.insertOne({ _id: 'a', sum: 0 });
  });

  afterEach(async () => {
    await client.close();
    simulator.close();
  });

  const set = (sum: number, session?: ClientSession): Promise<unknown> =>
    things.updateOne({ _id: 'a' }, { $set: { sum } }, session && { session });
  const sumOf = async (): Promise<unknown> => (await things.findOne({ _id: 'a' }))?.sum;

  function inTransaction(): ClientSession {
    const session = client.startSession();
    session.startTransaction();
    return session;
  }

  it('shows what a transaction wrote to itself alone, until it is committed', async () => {
    const session = inTransaction();
    await set(1, session);
    expect(await sumOf()).toBe(0);
    await session.commitTransaction();
    expect(await sumOf()).toBe(1);
    const other = inTransaction();
    await set(2, other);
    await other.abortTransaction();
    expect(await sumOf()).toBe(1);
  });

  it('refuses the second of two transactions that change a document, at once', async () => {
    const [one, other] = [inTransaction(), inTransaction()];
    await set(1, one);
    const refused: unknown = await set(2, other).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 112, codeName: 'WriteConflict' });
    expect(refused).toHaveProperty('errorLabels', ['TransientTransactionError']);
    await one.commitTransaction();
    expect(await sumOf()).toBe(1);
  });

  it('lets a plain write wait for a transaction, until its time is over or the session is killed', async () => {
    const session = inTransaction();
    await set(1, session);
    const late = things.updateOne({ _id: 'a' }, { $set: { sum: 2 } }, { maxTimeMS: 50 });
    await expect(late).rejects.toMatchObject({ code: 50 });
    const waiting = set(3);
    await client.db().command({ killSessions: [{ id: session.id?.id }] });
    await waiting;
    expect(await sumOf()).toBe(3);
    await expect(session.commitTransaction()).rejects.toMatchObject({ code: 251 });
  });

  it('commits a transaction once, however often that is asked for', async () => {
    const session = inTransaction();
    await set(1, session);
    await session.commitTransaction();
    await set(2);
    await session.commitTransaction();
    expect(await sumOf()).toBe(2);
  });

  it('takes the writes of more than 16 MB, and never commits them', async () => {
    const session = inTransaction();
    for (const _id of ['b', 'c']) {
      await things.insertOne({ _id, sum: 0, text: 'x'.repeat(SOME) }, { session });
    }
    await expect(session.commitTransaction()).rejects.toMatchObject({ code: 112 });
    expect(await things.find().toArray()).toHaveLength(1);
  });

  it('shows a snapshot as it was, but a dropped collection as an empty one', async () => {
    const snapshot = client.startSession({ snapshot: true });
    const look = (): Promise<Thing[]> => things.find({}, { session: snapshot }).toArray();
    const count = (): Promise<number> => things.countDocuments({ sum: 0 }, { session: snapshot });
    expect(await look()).toEqual([{ _id: 'a', sum: 0 }]);
    await set(1);
    expect(await look()).toEqual([{ _id: 'a', sum: 0 }]);
    expect(await count()).toBe(1);
    await things.drop();
    expect(await look()).toEqual([]);
    expect(await count()).toBe(0);
    await snapshot.endSession();
  });

  it('lists collections with an id, which one that is made again does not have', async () => {
    const list = () => client.db().listCollections({}, { nameOnly: false }).toArray();
    const ids = async (): Promise<unknown[]> =>
      (await list()).map(({ name, info }) => [name, info?.uuid]);
    const before = await ids();
    expect(before).toEqual([['things', expect.any(UUID)]]);
    expect(await ids()).toEqual(before);
    await things.drop();
    await set(1);
    await things.insertOne({ _id: 'a', sum: 0 });
    expect(await ids()).toEqual([['things', expect.any(UUID)]]);
    expect(await ids()).not.toEqual(before);
  });

  it('refuses a hint that names no index, and sends long answers in parts', async () => {
    await expect(things.find({}, { hint: 'by_sum' }).toArray()).rejects.toMatchObject({ code: 2 });
    for (let sum = 1; sum <= 250; sum += 1) await things.insertOne({ _id: `n${sum}`, sum });
    await things.createIndex({ sum: 1 }, { name: 'by_sum' }, {});
    const found = await things.find({}, { hint: 'by_sum', sort: { sum: 1 } }).toArray();
    expect(found.map(({ sum }) => sum)).toEqual(Array.from({ length: 251 }, (_, sum) => sum));
    expect(simulator.seen.filter(({ name }) => name === 'getMore')).toHaveLength(1);
    await things.dropIndex('by_sum');
    await expect(things.find({}, { hint: 'by_sum' }).toArray()).rejects.toMatchObject({ code: 2 });
  });
});

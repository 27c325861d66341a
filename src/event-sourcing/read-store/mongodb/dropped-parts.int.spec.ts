import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type Db, MongoClient } from 'mongodb';
import { place, put, thing, things } from '../../../../test/contracts/opened-store.js';
import { describeOnMongoDb } from '../../../../test/support/backends/on-mongodb.js';
import { eventually } from '../../../../test/support/harness/eventually.js';
import { DroppedNamespaceError, type Namespace, type View } from '../read-store.js';
import { MongoDbReadStore } from './mongodb-read-store.js';

const NOTICED_WITHIN_MS = 2_000;

describeOnMongoDb('a namespace of which somebody dropped a part', (server) => {
  let store: MongoDbReadStore;
  let other: MongoDbReadStore;
  let namespace: Namespace;
  let client: MongoClient;
  let db: Db;

  beforeEach(async () => {
    const uri = server().freshUri();
    client = new MongoClient(uri);
    db = client.db();
    store = new MongoDbReadStore(uri);
    other = new MongoDbReadStore(uri);
    namespace = things(store);
    await put(namespace, thing('ada', 0), { ...thing('ada', 0), collection: 'owners' });
  });

  afterEach(async () => {
    await store.close();
    await other.close();
    await client.close();
  });

  async function collection(of: string): Promise<string> {
    const names = (await db.listCollections().toArray()).map(({ name }) => name);
    return names.find((name) => name.startsWith(`documents.things.00000000.g1.${of}.`)) ?? '';
  }

  const isGone = async (): Promise<boolean> => (await store.namespaces()).length === 0;
  const get = (view: View) => view.get('things', 'ada/0');

  it.each([
    ['while nothing is written', 'things', async () => undefined],
    ['although a batch made it again', 'things', () => put(namespace, thing('ada', 1))],
    ['although nothing reads it by an index', 'owners', async () => undefined],
  ])('is gone within 2 s of the drop of a collection, %s', async (_, name, meanwhile) => {
    expect(await isGone()).toBe(false);
    await db.dropCollection(await collection(name));
    await meanwhile();
    await eventually('it is gone', isGone, NOTICED_WITHIN_MS);
    await expect(namespace.read(get)).rejects.toBeInstanceOf(DroppedNamespaceError);
    const late = namespace.write(place(1), place(3), []);
    await expect(late).rejects.toBeInstanceOf(DroppedNamespaceError);
    const again = things(other);
    await put(again, thing('ada', 2));
    expect(await again.checkpoint()).toBe(place(1));
    expect(await isGone()).toBe(false);
  });

  it.each([
    ['whatever it held', async () => undefined],
    [
      'although a batch made it again',
      () => put(namespace, { ...thing('ada', 1), collection: 'owners' }),
    ],
  ])('is gone at the first look-up in a dropped collection, %s', async (_, meanwhile) => {
    const found = (): Promise<unknown> =>
      namespace.read(async (view) => [await view.get('things', 'ada/0'), await get(view)], {
        ahead: { things: ['ada/0'], owners: ['nobody'] },
      });
    expect(await found()).toEqual([{ owner: 'ada', number: 0 }, expect.anything()]);
    await db.dropCollection(await collection('owners'));
    await meanwhile();
    await expect(found()).rejects.toBeInstanceOf(DroppedNamespaceError);
    expect(await isGone()).toBe(true);
  });

  const adas = { index: 'by_kind', equals: { owner: 'ada' } };

  it.each<[string, (view: View) => Promise<unknown>]>([
    ['page', (view) => view.range('things', { ...adas, limit: 9 })],
    ['count', (view) => view.count('things', adas)],
  ])('is gone at the first %s that misses a dropped index', async (_, read) => {
    await db.collection(await collection('things')).dropIndex('by_kind');
    await expect(namespace.read(read)).rejects.toBeInstanceOf(DroppedNamespaceError);
    expect(await isGone()).toBe(true);
  });

  it('is told from one whose writer is another process now, and from one that is being made', async () => {
    expect(await isGone()).toBe(false);
    await put(things(other), thing('ada', 1));
    await things(other, 'things.00000000.g2').serve();
    const listed = await other.namespaces();
    expect(listed.map(({ name, serves }) => [name, serves]).sort()).toEqual([
      ['things.00000000.g1', false],
      ['things.00000000.g2', true],
    ]);
  });
});

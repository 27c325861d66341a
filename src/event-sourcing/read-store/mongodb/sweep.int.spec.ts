import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { CommandGate } from '../../../../test/support/backends/command-gate.js';
import { describeOnMongoDb } from '../../../../test/support/backends/on-mongodb.js';
import type { Command } from '../../../../test/support/backends/wire-messages.js';
import { put, thing, THINGS, things } from '../../../../test/contracts/opened-store.js';
import { eventually } from '../../../../test/support/harness/eventually.js';
import { StaleCheckpointError } from '../read-store.js';
import { MongoDbReadStore } from './mongodb-read-store.js';

const RETENTION = { keptForMs: 100, sweptEveryMs: 20 };
const SWEPT_WITHIN_MS = 15_000;

describeOnMongoDb('what is left in MongoDB', (server) => {
  const opened: { close(): void | Promise<void> }[] = [];
  let uri: string;
  let client: MongoClient;

  beforeEach(() => {
    uri = server().freshUri();
    client = new MongoClient(uri);
    opened.push(client);
  });

  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
  });

  function openStore(at = uri, retention = RETENTION): MongoDbReadStore {
    const store = new MongoDbReadStore(at, retention);
    opened.push(store);
    return store;
  }

  const collections = async (): Promise<string[]> => {
    const listed = await client.db().listCollections({}, { nameOnly: true }).toArray();
    return listed.map(({ name }) => name).sort();
  };

  const rowsOf = async (collection: string): Promise<unknown[]> => {
    const name = (await collections()).find((one) => one.endsWith(`.${collection}`)) ?? '';
    return client.db().collection(name).find({}).toArray();
  };

  it('of versions goes when readers have had their time, also of documents that were removed', async () => {
    const namespace = things(openStore());
    await put(namespace, thing('ada', 0, { sum: 0 }), thing('ada', 1));
    await put(namespace, thing('ada', 0, { sum: 1 }), { ...thing('ada', 1), document: null });
    await put(namespace, ...Array.from({ length: 5 }, (_, number) => thing('bob', number)));
    for (let number = 0; number < 5; number++) {
      await put(namespace, { ...thing('bob', number), document: null });
    }
    // A batch starts a sweep. These batches change another document, because each leaves a version that is kept for a
    // while.
    const keysLeft = async (): Promise<string[]> => {
      await put(namespace, thing('sweeper', 0));
      const keys = (await rowsOf('things')).map((row) => (row as { key: string }).key);
      return keys.filter((key) => key !== 'sweeper/0');
    };
    const isSwept = async (): Promise<boolean> => (await keysLeft()).join() === 'ada/0';
    await eventually('only what counts is left', isSwept, SWEPT_WITHIN_MS);
    expect(await namespace.read((view) => view.scan('things', '', 9))).toHaveLength(2);
  });

  it('of versions is kept for a reader who began before, and a reader who takes longer begins anew', async () => {
    const [patient, slow] = [
      things(openStore(uri, { ...RETENTION, keptForMs: 60_000 })),
      things(openStore()),
    ];
    await put(patient, thing('ada', 0, { sum: 0 }));
    const kept = await slow.read(async (view) => {
      for (let sum = 1; sum <= 5; sum++) await put(patient, thing('ada', 0, { sum }));
      return view.get('things', 'ada/0');
    });
    expect(kept).toMatchObject({ sum: 0 });
    const hasty = things(openStore());
    const sums: unknown[] = [];
    const last = await slow.read(async (view) => {
      sums.push((await view.get('things', 'ada/0'))?.sum);
      const isSwept = async (): Promise<boolean> => {
        if (sums.length > 1) return true;
        await put(hasty, thing('ada', 0, { sum: 9 }));
        return !(await view.get('things', 'ada/0'));
      };
      await eventually('it is swept', isSwept, SWEPT_WITHIN_MS);
      return view.get('things', 'ada/0');
    });
    expect(sums).toEqual([5, 9]);
    expect(last).toMatchObject({ sum: 9 });
  });

  it('of a batch that came to nothing goes, and is never seen', async () => {
    const gate = await CommandGate.open(uri);
    opened.push(gate);
    const left = things(openStore(gate.uri));
    await put(left, thing('ada', 0));
    const isCommit = ({ name, collection }: Command): boolean =>
      name === 'update' && collection === 'namespaces';
    gate.cutAt(({ name, collection }) => name === 'insert' && collection !== 'namespaces', 1);
    await expect(put(left, thing('left', 1))).rejects.toThrow();
    expect(gate.seen.some(isCommit)).toBe(true);
    expect(await rowsOf('things')).toHaveLength(2);
    const next = things(openStore());
    const isGone = async (): Promise<boolean> => {
      await put(next, thing('ada', 0));
      const keys = (await rowsOf('things')).map((row) => (row as { key: string }).key);
      return !keys.includes('left/1');
    };
    await eventually('it is gone', isGone, SWEPT_WITHIN_MS);
  });

  it('of a dropped namespace goes, also what a late write makes anew, and nothing else', async () => {
    const gate = await CommandGate.open(uri);
    opened.push(gate);
    const [left, dropping] = [things(openStore(gate.uri)), openStore()];
    await put(left, thing('ada', 0));
    await put(things(dropping, 'main.others.v1.g1.p0'), thing('ada', 0));
    const before = await collections();
    const held = gate.hold(({ name }) => name === 'insert');
    const late = put(left, thing('ada', 1));
    const { release } = await held;
    await dropping.drop(THINGS);
    release();
    await expect(late).rejects.toBeInstanceOf(StaleCheckpointError);
    const ours = before.filter((name) => name.includes(THINGS));
    expect(ours).toHaveLength(2);
    expect((await collections()).filter((name) => ours.includes(name))).toHaveLength(1);
    await dropping.drop('main.nothing.v1.g1.p0');
    expect(await collections()).toEqual(before.filter((name) => !ours.includes(name)));
  });
});

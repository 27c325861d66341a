import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { CommandGate } from '../../../test/backends/command-gate.js';
import { describeOnMongoDb } from '../../../test/backends/on-mongodb.js';
import { eventually } from '../../../test/harness/eventually.js';
import { everythingIn, numbered, writeBatches } from '../../../test/specs/numbered-batches.js';
import { Unavailable } from '../../kernel/errors.js';
import { generationId } from './generation-record.js';
import { MongoDbReadStore } from './mongodb-read-store.js';

/** A process that fills shows life every second; a write of one may take a second where much else is done. */
const SWEEPING = { fillMs: 3_000, replacedMs: 3_000, everyMs: 50 };
const SWEPT_WITHIN_MS = 15_000;

describeOnMongoDb('what is left in MongoDB of read models that do not serve', (server) => {
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

  function openStore(at = uri): MongoDbReadStore {
    const store = new MongoDbReadStore(at, SWEEPING);
    opened.push(store);
    return store;
  }

  /** Whether there is anything of a generation: its record, or a collection. */
  async function isThere(generation: number): Promise<boolean> {
    const id = generationId(numbered.name, generation);
    const collections = await client.db().listCollections({}, { nameOnly: true }).toArray();
    if (collections.some(({ name }) => name.startsWith(`${id}.`))) return true;
    return (await client.db().collection('generations').findOne({ generation })) !== null;
  }

  function swept(generation: number): Promise<true> {
    const isGone = async (): Promise<boolean> => !(await isThere(generation));
    return eventually('it is dropped', isGone, SWEPT_WITHIN_MS);
  }

  it('goes when the process that filled it is gone, and stays while that shows life', async () => {
    const serving = openStore().readModel(numbered);
    await writeBatches(serving, 1);
    const gate = await CommandGate.open(uri);
    opened.push(gate);
    const alive = await openStore().fill(numbered);
    const left = await openStore(gate.uri).fill(numbered);
    await writeBatches(alive.model, 2);
    await writeBatches(left.model, 2);
    gate.close();
    expect(await isThere(left.model.generation)).toBe(true);
    await swept(left.model.generation);
    expect(await isThere(serving.generation)).toBe(true);
    await alive.serve();
    const next = openStore().readModel(numbered);
    expect(await everythingIn(next)).toMatchObject({ total: { document: { batches: 2 } } });
  });

  it('stays while it is kept up to date though it was replaced, and goes when that ends', async () => {
    const store = openStore();
    const replaced = store.readModel(numbered);
    await writeBatches(replaced, 1);
    const { generation } = replaced;
    const next = await openStore().fill(numbered);
    await writeBatches(next.model, 1);
    await next.serve();
    const began = performance.now();
    let batches = 1;
    while (performance.now() - began < 2 * SWEEPING.replacedMs) {
      await writeBatches(replaced, ++batches);
    }
    await swept(generation);
    await expect(replaced.checkpoint()).rejects.toBeInstanceOf(Unavailable);
    const serving = openStore().readModel(numbered);
    expect(await everythingIn(serving)).toMatchObject({ total: { document: { batches: 1 } } });
    expect(serving.generation).toBe(next.model.generation);
  });

  it("stays an earlier version's while replicas of it go on, also for one that comes back, and goes after the last", async () => {
    const earlier = openStore().readModel(numbered);
    await writeBatches(earlier, 2);
    await earlier.takeTurn();
    const keeping = setInterval(() => void earlier.takeTurn(), SWEEPING.replacedMs / 4);
    const later = openStore().readModel({ ...numbered, version: 2 });
    await writeBatches(later, 2);
    await later.finishReplay();
    const back = openStore().readModel(numbered);
    expect(await back.checkpoint()).toBe(await earlier.checkpoint());
    expect(await earlier.isSuperseded()).toBe(false);
    const { generation } = earlier;
    expect(back.generation).toBe(generation);
    await later.finishReplay();
    expect(await isThere(generation)).toBe(true);
    clearInterval(keeping);
    await swept(generation);
    expect(await isThere(later.generation)).toBe(true);
  });
});

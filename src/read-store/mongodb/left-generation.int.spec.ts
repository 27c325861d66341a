import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { CommandGate } from '../../../test/backends/command-gate.js';
import { describeOnMongoDb } from '../../../test/backends/on-mongodb.js';
import { numbered, writeBatches } from '../../../test/specs/numbered-batches.js';
import { START } from '../../kernel/position.js';
import { MongoDbReadStore } from './mongodb-read-store.js';

const TURN_EVERY_MS = 500;
const later = { ...numbered, version: 2, continuesFrom: 1 };

describeOnMongoDb('what an earlier version has in MongoDB', (server) => {
  const opened: { close(): void | Promise<void> }[] = [];
  let uri: string;

  beforeEach(() => {
    uri = server().freshUri();
  });

  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
  });

  function openStore(at = uri): MongoDbReadStore {
    const store = new MongoDbReadStore(at);
    opened.push(store);
    return store;
  }

  it('stays with those who keep it up to date: a later version that starts beside them begins its own', async () => {
    const [first, second] = [openStore().readModel(numbered), openStore().readModel(numbered)];
    await writeBatches(first, 2);
    expect(await first.takeTurn()).toBe(true);
    const keeping = setInterval(() => void first.takeTurn(), TURN_EVERY_MS);
    const begun = openStore().readModel(later);
    expect(await begun.checkpoint()).toBe(START);
    clearInterval(keeping);
    expect(begun.version).toBe(2);
    await writeBatches(first, 3);
    expect(await second.checkpoint()).toBe(await first.checkpoint());
    expect(await second.isSuperseded()).toBe(false);
  });

  it('stays with those who are about to keep it up to date, as the one who did has stopped', async () => {
    const [first, second] = [openStore(), openStore()];
    const waiting = second.readModel(numbered);
    await first.readModel(numbered).takeTurn();
    await writeBatches(waiting, 1);
    await first.close();
    const asking = setInterval(() => void waiting.takeTurn(), TURN_EVERY_MS);
    const begun = openStore().readModel(later);
    expect(await begun.checkpoint()).toBe(START);
    clearInterval(asking);
    expect(begun.version).toBe(2);
  });

  it('goes over to a later version when all who kept it up to date are gone, stopped or lost', async () => {
    const gate = await CommandGate.open(uri);
    opened.push(gate);
    const lost = openStore(gate.uri).readModel(numbered);
    await writeBatches(lost, 2);
    expect(await lost.takeTurn()).toBe(true);
    const { generation } = lost;
    gate.close();
    const model = openStore().readModel(later);
    expect(await model.checkpoint()).not.toBe(START);
    expect(model).toMatchObject({ generation, version: 1 });
  });

  it('goes over to all who start at the same time, and one of them has the turn', async () => {
    const stores = [openStore(), openStore(), openStore()];
    const left = openStore();
    await writeBatches(left.readModel(numbered), 2);
    await left.close();
    const models = stores.map((store) => store.readModel(later));
    const turns = await Promise.all(models.map((model) => model.takeTurn()));
    expect(turns.filter((taken) => taken)).toHaveLength(1);
    const found = models.map(({ version, generation }) => [version, generation]);
    expect(found).toEqual(models.map(() => [1, models[0]?.generation]));
  });

  it('ends when a later version has caught up, but not for one that is being stopped', async () => {
    const left = openStore();
    await writeBatches(left.readModel(numbered), 2);
    await left.close();
    const replacing = openStore().readModel({ ...numbered, version: 2 });
    await replacing.finishReplay(AbortSignal.abort());
    expect(await openStore().readModel(numbered).checkpoint()).not.toBe(START);
    await replacing.finishReplay();
    expect(await openStore().readModel(numbered).checkpoint()).toBe(START);
  });
});

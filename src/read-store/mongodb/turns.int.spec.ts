import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { describeOnMongoDb } from '../../../test/backends/on-mongodb.js';
import { eventually } from '../../../test/harness/eventually.js';
import { numbered, writeBatches } from '../../../test/specs/numbered-batches.js';
import type { ReadModel } from '../read-store.js';
import { MongoDbReadStore } from './mongodb-read-store.js';

/** A little more than whoever shows no life keeps the turn. */
const TAKEN_OVER_WITHIN_MS = 12_000;
const NOT_BEFORE_MS = 4_900;

describeOnMongoDb('the turn to keep a read model in MongoDB up to date', (server) => {
  let stores: [MongoDbReadStore, MongoDbReadStore];
  let first: ReadModel;
  let second: ReadModel;

  beforeEach(() => {
    const uri = server().freshUri();
    stores = [new MongoDbReadStore(uri), new MongoDbReadStore(uri)];
    [first, second] = [stores[0].readModel(numbered), stores[1].readModel(numbered)];
  });

  afterEach(async () => {
    for (const store of stores) await store.close();
  });

  it('is had by one at a time, who keeps it by asking again', async () => {
    expect(await first.takeTurn()).toBe(true);
    expect(await second.takeTurn()).toBe(false);
    expect(await first.takeTurn()).toBe(true);
    expect(await second.takeTurn()).toBe(false);
  });

  it('goes to one of those who ask for it at the same time', async () => {
    await Promise.all([first.checkpoint(), second.checkpoint()]);
    const asked = await Promise.all([first.takeTurn(), second.takeTurn()]);
    expect(asked.sort()).toEqual([false, true]);
  });

  it('goes over at once from whoever gives it up, and from nobody else', async () => {
    await first.takeTurn();
    await second.giveUpTurn();
    expect(await second.takeTurn()).toBe(false);
    await first.giveUpTurn();
    expect(await second.takeTurn()).toBe(true);
    await first.giveUpTurn();
    expect(await first.takeTurn()).toBe(false);
  });

  it('goes over at once from a process that ends in order', async () => {
    await first.takeTurn();
    await stores[0].close();
    expect(await second.takeTurn()).toBe(true);
  });

  it('goes over from whoever shows no life for some seconds, and from nobody who does', async () => {
    await first.takeTurn();
    const began = performance.now();
    let batches = 0;
    while (performance.now() - began < NOT_BEFORE_MS) {
      // To write is a sign of life, too.
      await writeBatches(first, ++batches);
      expect(await second.takeTurn()).toBe(false);
    }
    const ceased = performance.now();
    await eventually('the other has the turn', () => second.takeTurn(), TAKEN_OVER_WITHIN_MS);
    expect(performance.now() - ceased).toBeGreaterThan(NOT_BEFORE_MS);
    expect(await first.takeTurn()).toBe(false);
  });
});

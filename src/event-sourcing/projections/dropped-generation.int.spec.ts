import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MongoDbSimulator } from '../../../test/support/backends/mongodb-simulator/mongodb-simulator.js';
import { drivenByHand } from '../../../test/support/specs/read-models-here.js';
import { TALLIES } from '../../../test/support/specs/replicas.js';
import { Unavailable } from '../../kernel/errors.js';
import { START } from '../../kernel/position.js';
import { MongoDbReadStore } from '../read-store/mongodb/mongodb-read-store.js';
import type { Namespace, ReadStore } from '../read-store/read-store.js';
import { namespaceOf } from './generations.js';
import type { ReadModels } from './read-models.js';

const NAME = namespaceOf(TALLIES, 1);
const COLLECTION = 'names';

describe('a generation that another process dropped and filled again', () => {
  let mongoDb: MongoDbSimulator;
  let here: ReadStore;
  let there: ReadStore;
  let models: ReadModels;

  beforeEach(async () => {
    mongoDb = await MongoDbSimulator.open();
    here = new MongoDbReadStore(mongoDb.uri('keyledger'));
    there = new MongoDbReadStore(mongoDb.uri('keyledger'));
    await fill(there, '000002', 'before');
    const log = { head: async () => '000002' };
    const driven = drivenByHand(TALLIES, { open: () => opened(here), log });
    driven.report({ generation: 1, position: '000002', phase: 'live' });
    models = driven.models;
    expect(await said()).toBe('before');
    await there.drop(NAME);
  });

  afterEach(async () => {
    await here.close();
    await there.close();
    mongoDb.close();
  });

  const opened = (store: ReadStore): Namespace => store.namespace(NAME, TALLIES.collections);

  async function fill(store: ReadStore, to: string, text: string): Promise<void> {
    const change = { collection: COLLECTION, key: 'a', document: { text }, isNew: true };
    await opened(store).write(START, to, [change]);
  }

  async function said(): Promise<unknown> {
    return models.read(async (view) => (await view.get(COLLECTION, 'a'))?.text);
  }

  it('is read as it is now', async () => {
    await fill(there, '000003', 'after');
    expect(await said()).toBe('after');
  });

  it('is refused as long as it has less than was seen before', async () => {
    await expect(said()).rejects.toBeInstanceOf(Unavailable);
    await fill(there, '000001', 'too little');
    await expect(said()).rejects.toBeInstanceOf(Unavailable);
  });
});

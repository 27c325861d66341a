import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MongoDbSimulator } from '../../../test/support/backends/mongodb-simulator/mongodb-simulator.js';
import { tallies } from '../../../test/support/specs/tally.js';
import { Unavailable } from '../../kernel/errors.js';
import { START } from '../../kernel/position.js';
import { MongoDbReadStore } from '../read-store/mongodb/mongodb-read-store.js';
import type { Namespace, ReadStore } from '../read-store/read-store.js';
import { RunningProjection } from './running-projection.js';
import { newStanding } from './standing.js';

const NAME = 'main.tallies.v1.g1.p0';
const [COLLECTION = ''] = Object.keys(tallies.collections);

describe('a generation that another process dropped and filled again', () => {
  let mongoDb: MongoDbSimulator;
  let here: ReadStore;
  let there: ReadStore;
  let running: RunningProjection;

  beforeEach(async () => {
    mongoDb = await MongoDbSimulator.open();
    here = new MongoDbReadStore(mongoDb.uri('keyledger'));
    there = new MongoDbReadStore(mongoDb.uri('keyledger'));
    await fill(there, '000002', 'before');
    const ignore = (): void => undefined;
    running = new RunningProjection(tallies, () => opened(here), ignore, {
      waiting: ignore,
      damaged: ignore,
    });
    const standing = newStanding(tallies.name, 'live');
    running.follow({ ...standing, generation: 1, position: '000002', checkpoint: '000002' });
    expect(await said()).toBe('before');
    await there.drop(NAME);
  });

  afterEach(async () => {
    await here.close();
    await there.close();
    mongoDb.close();
  });

  const opened = (store: ReadStore): Namespace => store.namespace(NAME, tallies.collections);

  async function fill(store: ReadStore, to: string, text: string): Promise<void> {
    const change = { collection: COLLECTION, key: 'a', document: { text }, isNew: true };
    await opened(store).write(START, to, async () => [change]);
  }

  async function said(): Promise<unknown> {
    return running.read(async (view) => (await view.get(COLLECTION, 'a'))?.text);
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

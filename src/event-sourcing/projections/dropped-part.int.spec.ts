import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { MongoDbSimulator } from '../../../test/support/backends/mongodb-simulator/mongodb-simulator.js';
import { eventually } from '../../../test/support/harness/eventually.js';
import { event } from '../../../test/contracts/opened-log.js';
import { metadataAt } from '../../../test/support/specs/metadata-at.js';
import { readModelsHere } from '../../../test/support/specs/read-models-here.js';
import { TALLIES } from '../../../test/support/specs/replicas.js';
import { tallied } from '../../../test/support/specs/tally.js';
import { EventRegistry } from '../event-log/event-registry.js';
import { SqliteEventLog } from '../event-log/sqlite/sqlite-event-log.js';
import { MongoDbReadStore } from '../read-store/mongodb/mongodb-read-store.js';
import type { ReadModels } from './read-models.js';
import type { ReadSideNotice } from './read-side-notices.js';

/** The time until a drop is noticed, and the short log is folded again. */
const FOLDED_ANEW_WITHIN_MS = 3_000;

describe('read models of which somebody dropped a part', () => {
  let mongoDb: MongoDbSimulator;
  let client: MongoClient;
  let log: SqliteEventLog;
  const stores: MongoDbReadStore[] = [];
  /** A leader and a follower, what they say, and how often each of them told of a loss. */
  let replicas: { readonly models: ReadModels; losses: number; readonly news: ReadSideNotice[] }[];

  beforeEach(async () => {
    mongoDb = await MongoDbSimulator.open();
    client = new MongoClient(mongoDb.uri('keyledger'));
    log = new SqliteEventLog(':memory:');
    await tally('a');
    replicas = [];
    for (const _ of ['leader', 'follower']) {
      const store = new MongoDbReadStore(mongoDb.uri('keyledger'));
      stores.push(store);
      const news: ReadSideNotice[] = [];
      const sources = { log, registry: new EventRegistry([tallied]), store };
      const models = readModelsHere(TALLIES, sources, { notify: (one) => news.push(one) });
      const replica = { models, losses: 0, news };
      models.onLost(() => (replica.losses += 1));
      replicas.push(replica);
      models.start();
      await models.caughtUp;
    }
  });

  afterEach(async () => {
    for (const { models } of replicas) await models.stop();
    for (const store of stores.splice(0)) await store.close();
    await client.close();
    await log.close();
    mongoDb.close();
  });

  async function tally(name: string): Promise<void> {
    const one = { ...event({ name, amount: 1 }, 'Tallied'), metadata: metadataAt(0) };
    await log.append(`tally-${name}`, [one], 'no-stream');
  }

  async function dropCollection(): Promise<void> {
    const names = (await client.db().listCollections().toArray()).map(({ name }) => name);
    await client.db().dropCollection(names.find((name) => name.includes('.totals.')) ?? '');
  }

  const sumOf = async ({ models }: { readonly models: ReadModels }): Promise<unknown> =>
    models.read(async (view) => (await view.get('totals', 'all'))?.sum).catch(() => 'unavailable');

  it.each([
    ['a collection', dropCollection, async () => undefined, 1],
    ['a collection that a batch makes again', dropCollection, () => tally('b'), 2],
    ['all of it', () => client.db().dropDatabase(), async () => undefined, 1],
  ])(
    'are noticed to have lost %s, and are folded anew and read again',
    async (_, drop, meanwhile, sum) => {
      await drop();
      await meanwhile();
      for (const replica of replicas) {
        const isBack = async (): Promise<boolean> =>
          replica.losses > 0 && (await sumOf(replica)) === sum;
        await eventually('they are back', isBack, FOLDED_ANEW_WITHIN_MS);
        expect(replica.models.state).toMatchObject({ generation: 2 });
      }
      // A follower may see the new generation first.
      expect(replicas.flatMap(({ news }) => news)).toContainEqual({
        kind: 'degraded',
        problem: 'they were dropped, and are being rebuilt',
      });
      await eventually('they are live', () =>
        replicas.every(({ models }) => models.state.phase === 'live'),
      );
    },
  );
});

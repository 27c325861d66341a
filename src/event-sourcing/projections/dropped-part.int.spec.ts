import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
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

/**
 * The looks at the store until a drop is noticed, as a leader looks again before it begins anew.
 * The first may have begun before the drop. How far looks are apart is held in the test of leaders
 * and followers, so that this one is not about the speed of the machine.
 */
const MOST_LOOKS = 3;
/** The deadline for a fold of the short log. */
const FOLDED_ANEW_WITHIN_MS = 15_000;

describe('read models of which somebody dropped a part', () => {
  let mongoDb: MongoDbSimulator;
  let client: MongoClient;
  let log: SqliteEventLog;
  const stores: MongoDbReadStore[] = [];
  /** A leader and a follower, what they say, and what each of them told of losses. */
  let replicas: {
    readonly models: ReadModels;
    readonly looks: jest.Spied<MongoDbReadStore['namespaces']>;
    /** The number of looks at each loss. */
    readonly losses: number[];
    readonly news: ReadSideNotice[];
  }[];

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
      const looks = jest.spyOn(store, 'namespaces');
      const losses: number[] = [];
      models.onLost(() => losses.push(looks.mock.calls.length));
      replicas.push({ models, looks, losses, news });
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
      for (const { looks } of replicas) looks.mockClear();
      await drop();
      await meanwhile();
      for (const replica of replicas) {
        const isBack = async (): Promise<boolean> =>
          replica.losses.length > 0 && (await sumOf(replica)) === sum;
        await eventually('they are back', isBack, FOLDED_ANEW_WITHIN_MS);
        expect(replica.losses[0]).toBeLessThanOrEqual(MOST_LOOKS);
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

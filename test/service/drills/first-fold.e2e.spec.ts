import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import type { EventLog } from '../../../src/event-sourcing/event-log/event-log.js';
import { EventStoreDbEventLog } from '../../../src/event-sourcing/event-log/eventstoredb/eventstoredb-event-log.js';
import { EventRegistry } from '../../../src/event-sourcing/event-log/event-registry.js';
import { eventsUpToHead } from '../../../src/event-sourcing/event-log/events-up-to-head.js';
import { START } from '../../../src/kernel/position.js';
import { EVENTS } from '../../support/declared.js';
import { metadataAt } from '../../support/specs/metadata-at.js';
import { eventually } from '../../support/harness/eventually.js';
import { Cluster } from './cluster.js';
import type { Replica } from './replica.js';

/**
 * The length of the log, without the few events of a first start. `DRILL_EVENTS=300000` takes some
 * minutes.
 */
const LENGTH = Number(process.env.DRILL_EVENTS ?? 20_000);
const OF_AN_APPEND = 250;
const MOST_OF_A_BATCH = 1_000;
/** Longer than a call to the read store may take. */
const FROZEN_MS = 11_000;
const WITHIN_MS = 60_000 + LENGTH * 10;

describe('a first fold', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start();
    await Promise.all(cluster.replicas.map((replica) => replica.kill()));
    await writeLog(cluster.settings.EVENTSTOREDB_CONNECTION_STRING);
    await cluster.loseReadModels();
  }, WITHIN_MS);

  afterAll(() => cluster.stop());

  it(
    'goes on where it was after its store froze and its leader was killed',
    async () => {
      const [first, second] = [cluster.replica(0), cluster.replica(1)];
      for (const replica of [first, second]) replica.launch();
      await Promise.all([first.listening(), second.listening()]);
      const folded = async (): Promise<number> =>
        (await foldedBy(first)) + (await foldedBy(second));

      await eventually('a part is folded', async () => (await folded()) > LENGTH / 6, WITHIN_MS);
      await cluster.readStore.freeze();
      await delay(FROZEN_MS);
      cluster.readStore.thaw();
      await eventually('a half is folded', async () => (await folded()) > LENGTH / 2, WITHIN_MS);

      const before = await foldedBy(first);
      await eventually('more is folded', async () => (await folded()) > LENGTH * 0.6, WITHIN_MS);
      const leads = (await foldedBy(first)) > before;
      const [leader, survivor] = leads ? [first, second] : [second, first];
      const byLeader = await foldedBy(leader);
      await leader.kill();

      await survivor.ready(WITHIN_MS);
      const { total_count } = (await survivor.client.get('/v1/end-users?limit=1')).body as {
        readonly total_count: number;
      };
      expect(total_count).toBe(LENGTH);
      const twice = byLeader + (await foldedBy(survivor)) - LENGTH;
      expect(twice).toBeLessThan(3 * MOST_OF_A_BATCH);
      expect(await generations(cluster.settings.MONGODB_URI)).toEqual([
        expect.stringMatching(/\.g1$/),
      ]);
    },
    4 * WITHIN_MS,
  );
});

async function writeLog(connectionString: string): Promise<void> {
  const log = new EventStoreDbEventLog(connectionString);
  const registry = new EventRegistry(EVENTS);
  const account_id = await accountIn(log);
  for (let first = 0; first < LENGTH; first += OF_AN_APPEND) {
    const users = Array.from({ length: Math.min(OF_AN_APPEND, LENGTH - first) }, () => {
      const data = { organization_id: account_id, user: randomUUID() };
      const event = registry.encode({ type: 'EndUserRegistered', data });
      return { id: randomUUID(), ...event, metadata: metadataAt(0, account_id) };
    });
    await log.append(`many-${randomUUID()}`, users, 'no-stream');
  }
  await log.close();
}

/** Gives the account of the first event. */
async function accountIn(log: EventLog): Promise<string> {
  for await (const { events } of eventsUpToHead(log, START))
    if (events[0]) return events[0].metadata.account_id;
  throw new Error('the log is empty');
}

async function foldedBy(replica: Replica): Promise<number> {
  const seen = await replica.metrics();
  const of = { read_models: 'management' };
  return seen.value('keyledger_read_models_events_applied_total', of) ?? 0;
}

async function generations(uri: string): Promise<string[]> {
  const client = await MongoClient.connect(uri);
  const found = await client.db().collection<{ _id: string }>('namespaces').find().toArray();
  await client.close();
  return found.map(({ _id }) => _id).filter((name) => name.startsWith('management.'));
}

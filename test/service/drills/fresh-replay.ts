import { LEDGERS } from '../../../src/host/ledgers/ledgers.js';
import { EventRegistry } from '../../../src/event-sourcing/event-log/event-registry.js';
import { EventStoreDbEventLog } from '../../../src/event-sourcing/event-log/eventstoredb/eventstoredb-event-log.js';
import { Generations } from '../../../src/event-sourcing/projections/generations.js';
import { documentCollections } from '../../../src/event-sourcing/projections/read-side.js';
import { Rebuild } from '../../../src/event-sourcing/projections/maintenance/rebuild.js';
import type { Namespace, View } from '../../../src/event-sourcing/read-store/read-store.js';
import { MongoDbReadStore } from '../../../src/event-sourcing/read-store/mongodb/mongodb-read-store.js';
import { SqliteReadStore } from '../../../src/event-sourcing/read-store/sqlite/sqlite-read-store.js';
import { EVENTS } from '../../support/declared.js';
import type { ClusterSettings } from './cluster.js';

const PAGE = 1_000;

/**
 * Gives the differences between the read models of running replicas and a fresh fold of the log.
 * The fold is in a store of another kind, because `projections verify` folds into the server under
 * test.
 */
export async function replayFaults(settings: ClusterSettings): Promise<string[]> {
  const log = new EventStoreDbEventLog(settings.EVENTSTOREDB_CONNECTION_STRING);
  const store = new MongoDbReadStore(settings.MONGODB_URI);
  const own = new SqliteReadStore(':memory:');
  const generations = new Generations(LEDGERS.management.readSide, store);
  try {
    const { serving } = await generations.look();
    if (serving === null) return ['nothing serves'];
    const sources = { log, registry: new EventRegistry(EVENTS), store: own };
    return await faultsOf(
      generations.open(serving),
      new Rebuild(
        LEDGERS.management.readSide,
        sources,
        {},
        new Generations(LEDGERS.management.readSide, own),
        1,
      ),
    );
  } finally {
    await own.close();
    await store.close();
    await log.close();
  }
}

async function faultsOf(stored: Namespace, rebuild: Rebuild): Promise<string[]> {
  return stored.read(async (view) => {
    await rebuild.foldTo(view.checkpoint);
    const expected = await rebuild.writer.namespace.read(documentsOf);
    const found = await documentsOf(view);
    const keys = new Set([...expected.keys(), ...found.keys()]);
    if (expected.size === 0) return ['there are no documents'];
    return [...keys]
      .filter((key) => expected.get(key) !== found.get(key))
      .map((key) => `${key} is ${found.get(key) ?? 'missing'}, not ${expected.get(key) ?? 'none'}`);
  });
}

/** Gives all documents with their fields in one order, because each store has its own order. */
async function documentsOf(view: View): Promise<Map<string, string>> {
  const documents = new Map<string, string>();
  for (const collection of documentCollections(LEDGERS.management.readSide)) {
    let after = '';
    for (;;) {
      const page = await view.scan(collection, after, PAGE);
      for (const { key, document } of page) {
        documents.set(`${collection} ${key}`, inOneOrder(document));
      }
      const last = page.at(-1);
      if (!last) break;
      after = last.key;
    }
  }
  return documents;
}

function inOneOrder(kept: object): string {
  return JSON.stringify(kept, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

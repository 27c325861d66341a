import { EVENTS, PROJECTIONS } from '../../src/events-and-projections.js';
import { EventRegistry } from '../../src/event-log/event-registry.js';
import { EventStoreDbEventLog } from '../../src/event-log/eventstoredb/eventstoredb-event-log.js';
import { projectorInto, type Sources } from '../../src/projections/fold-afresh.js';
import type { ReadStore, ReadView } from '../../src/read-store/read-store.js';
import { MongoDbReadStore } from '../../src/read-store/mongodb/mongodb-read-store.js';
import { SqliteReadStore } from '../../src/read-store/sqlite/sqlite-read-store.js';
import type { ClusterSettings } from './cluster.js';

type Directory = (typeof PROJECTIONS)[number];

const PAGE = 1_000;

/**
 * In what the read models of running replicas are not what the log says. It is folded into a store of its own, and one
 * of another kind: `projections verify` has the server that is under test keep the fresh fold as well.
 */
export async function replayFaults(settings: ClusterSettings): Promise<string[]> {
  const log = new EventStoreDbEventLog(settings.EVENTSTOREDB_CONNECTION_STRING);
  const store = new MongoDbReadStore(settings.MONGODB_URI);
  const own = new SqliteReadStore(':memory:');
  const sources = { log, registry: new EventRegistry(EVENTS), store };
  try {
    const faults = PROJECTIONS.map((projection) => faultsOf(projection, sources, own));
    return (await Promise.all(faults)).flat();
  } finally {
    await own.close();
    await store.close();
    await log.close();
  }
}

function faultsOf(projection: Directory, sources: Sources, own: ReadStore): Promise<string[]> {
  const fresh = own.readModel(projection);
  const projector = projectorInto(fresh, projection, sources);
  return sources.store.readModel(projection).snapshot(async (stored) => {
    await projector.catchUp({ upTo: await stored.checkpoint() });
    const expected = await documentsOf(projection, fresh);
    const found = await documentsOf(projection, stored);
    const keys = new Set([...expected.keys(), ...found.keys()]);
    if (expected.size === 0) return [`${projection.name} has no documents`];
    return [...keys]
      .filter((key) => expected.get(key) !== found.get(key))
      .map((key) => `${key} is ${found.get(key) ?? 'missing'}, not ${expected.get(key) ?? 'none'}`);
  });
}

/** What there is, with the position it reflects; fields in one order, as each store keeps them in its own. */
async function documentsOf(
  { name, collections }: Directory,
  view: ReadView,
): Promise<Map<string, string>> {
  const documents = new Map<string, string>();
  for (const collection of Object.keys(collections)) {
    let after = '';
    for (;;) {
      const page = await view.scan(collection, after, PAGE);
      for (const { key, position, document } of page) {
        documents.set(`${name}: ${collection} ${key}`, inOneOrder({ position, document }));
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

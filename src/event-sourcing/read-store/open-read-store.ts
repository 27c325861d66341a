import { join } from 'node:path';
import type { ReadStore } from './read-store.js';
import { SqliteReadStore } from './sqlite/sqlite-read-store.js';

export interface ReadStorePlace {
  readonly dataDir: string;
  /** Undefined when the read models are embedded. */
  readonly mongodbUri: string | undefined;
}

/** Opens the read store, embedded or on a server, for the calling thread. @throws naming what cannot be opened. */
export async function openReadStore({ dataDir, mongodbUri }: ReadStorePlace): Promise<ReadStore> {
  if (mongodbUri === undefined) return new SqliteReadStore(join(dataDir, 'read-models'));
  // Loaded only now: the driver is large, and embedded read models do without it.
  const { MongoDbReadStore } = await import('./mongodb/mongodb-read-store.js');
  return new MongoDbReadStore(mongodbUri);
}

import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { ReadStore } from './read-store.js';
import { SqliteReadStore } from './sqlite/sqlite-read-store.js';

export interface ReadStorePlace {
  readonly dataDir: string;
  /** Undefined when the read models are embedded. */
  readonly mongodbUri: string | undefined;
}

export const READ_STORE_PLACE = Symbol('ReadStorePlace');

const embeddedIn = (dataDir: string): string => join(dataDir, 'read-models');

/**
 * Renames the embedded read models of a log that begins anew. They may be the last copy of what it
 * held. All read models are folded again.
 * @returns their new name; undefined when there are none.
 */
export function setReadModelsAside(dataDir: string): string | undefined {
  const aside = `${embeddedIn(dataDir)}-before-${Date.now()}`;
  if (!existsSync(embeddedIn(dataDir))) return undefined;
  renameSync(embeddedIn(dataDir), aside);
  return aside;
}

/** Opens the read store for the calling thread. @throws naming what cannot be opened. */
export async function openReadStore({ dataDir, mongodbUri }: ReadStorePlace): Promise<ReadStore> {
  if (mongodbUri === undefined) return new SqliteReadStore(embeddedIn(dataDir));
  // Loaded only now: the driver is large, and embedded read models do without it.
  const { MongoDbReadStore } = await import('./mongodb/mongodb-read-store.js');
  return new MongoDbReadStore(mongodbUri);
}

import { join } from 'node:path';
import type { ReadStore } from './read-store.js';
import type { Role } from './sqlite/role.js';
import { SqliteReadStore } from './sqlite/sqlite-read-store.js';

/** The read models in a data directory, made when they do not exist. @throws naming what cannot be opened. */
export function openEmbeddedReadStore(dataDir: string, role: Role): ReadStore {
  return new SqliteReadStore(join(dataDir, 'read-models'), role);
}

import { join } from 'node:path';
import type { ReadStore } from './read-store.js';
import type { Role } from './sqlite/role.js';
import { SqliteReadStore } from './sqlite/sqlite-read-store.js';

/** The read models in a data directory, made when they do not exist. @throws naming their directory. */
export function openEmbeddedReadStore(dataDir: string, role: Role): ReadStore {
  const directory = join(dataDir, 'read-models');
  try {
    return new SqliteReadStore(directory, role);
  } catch (cause) {
    const problem = `the read models in ${directory} cannot be opened (deleted, they are folded anew)`;
    throw new Error(`${problem}: ${String(cause)}`, { cause });
  }
}

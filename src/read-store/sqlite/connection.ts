import type Database from 'better-sqlite3';
import { openDatabase, orClosed, writeAhead } from '../../sqlite/open-database.js';
import type { Role } from './role.js';

/** How long opening waits for another process that is just making the same database. */
const OPEN_TIMEOUT_MS = 5_000;

/** `exclusive` locks every other connection out until this one is closed. */
export type Use = Role | 'exclusive';

/** Little, as few requests want the same page and the operating system caches the file as well; more to sort an index. */
const PAGE_CACHE_KIB: Readonly<Record<Use, number>> = {
  folds: 4 * 1024,
  helps: 4 * 1024,
  exclusive: 16 * 1024,
  reads: 2 * 1024,
};

/**
 * Opens a database of the read store. After a loss of power the last commits may be gone, but never a part of one:
 * what is missing is folded again.
 * @param busyTimeoutMs how long a write blocks its thread while another connection is writing.
 */
export function connect(file: string, busyTimeoutMs: number, use: Use): Database.Database {
  const db = openDatabase(file, { timeout: OPEN_TIMEOUT_MS });
  return orClosed(db, () => {
    if (use === 'exclusive') db.exec('PRAGMA locking_mode = EXCLUSIVE');
    writeAhead(db);
    db.exec('PRAGMA synchronous = NORMAL');
    db.exec(`PRAGMA cache_size = -${PAGE_CACHE_KIB[use]}`);
    db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    return db;
  });
}

import type Database from 'better-sqlite3';
import { openDatabase, orClosed, writeAhead } from '../../sqlite/open-database.js';

/** How long opening waits for another process that is just making the same database. */
const OPEN_TIMEOUT_MS = 5_000;
const PAGE_CACHE_KIB = 16 * 1024;

/**
 * Opens a database of the read store. After a loss of power the last commits may be gone, but never a part of one:
 * what is missing is folded again.
 * @param busyTimeoutMs how long a write blocks its thread while another connection is writing.
 * @param use `alone` locks every other connection out until this one is closed.
 */
export function connect(
  file: string,
  busyTimeoutMs: number,
  use: 'shared' | 'alone' = 'shared',
): Database.Database {
  const db = openDatabase(file, { timeout: OPEN_TIMEOUT_MS });
  return orClosed(db, () => {
    if (use === 'alone') db.exec('PRAGMA locking_mode = EXCLUSIVE');
    writeAhead(db);
    db.exec('PRAGMA synchronous = NORMAL');
    db.exec(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
    db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    return db;
  });
}

import type Database from 'better-sqlite3';
import { openDatabase, orClosed, writeAhead } from '../../sqlite/open-database.js';
import type { Role } from './role.js';

/** How long opening waits for another process that is just making the same database. */
const OPEN_TIMEOUT_MS = 5_000;

/** `exclusive` locks every other connection out until this one is closed. */
export type Use = Role | 'exclusive';

/** Little, as few requests want the same page and the operating system caches the file as well; nor does more sort an index sooner. */
const PAGE_CACHE_KIB: Readonly<Record<Use, number>> = {
  folds: 4 * 1024,
  exclusive: 4 * 1024,
  reads: 2 * 1024,
};

/**
 * Opens a database of the read store. After a loss of power the last commits may be gone, but never a part of one:
 * what is missing is folded again. One that is exclusive is good for nothing after a crash, until it was made durable.
 * @param busyTimeoutMs how long a write blocks its thread while another connection is writing.
 */
export function connect(file: string, busyTimeoutMs: number, use: Use): Database.Database {
  const db = openDatabase(file, { timeout: OPEN_TIMEOUT_MS });
  return orClosed(db, () => {
    if (use === 'exclusive') {
      writeAlone(db);
    } else {
      writeAhead(db);
      db.exec('PRAGMA synchronous = NORMAL');
    }
    db.exec(`PRAGMA cache_size = -${PAGE_CACHE_KIB[use]}`);
    db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    return db;
  });
}

/** Lets what was written to an exclusive database outlast a loss of power, and makes it a database as all others are. */
export function makeDurable(db: Database.Database): void {
  db.exec('PRAGMA synchronous = FULL');
  // Changes the first page, and waits for the disk with all that was written before.
  db.exec('PRAGMA journal_mode = WAL');
}

/** Every page is written once, where it belongs, and nothing waits for the disk. What one cannot write is undone. */
function writeAlone(db: Database.Database): void {
  db.exec('PRAGMA locking_mode = EXCLUSIVE');
  db.exec('PRAGMA journal_mode = MEMORY');
  db.exec('PRAGMA synchronous = OFF');
}

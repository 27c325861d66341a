import { statSync } from 'node:fs';
import Database from 'better-sqlite3';

/**
 * How many pages in the write-ahead log cause a checkpoint: 16 MB, four times the default. A long
 * log saves writes, because commits all over an index change most of its pages again and again.
 */
export const WRITE_AHEAD_PAGES = 4_000;

/** How long a statement waits for a lock, which a service that starts may hold for a moment. */
const WAIT_MS = 5_000;

const kept: unknown[] = [];

/** @throws Error with the remedy if the driver cannot be loaded. */
export function requireSqlite(): void {
  try {
    openDatabase(':memory:', {}).close();
  } catch (cause) {
    throw new Error(
      `better-sqlite3 was built for another Node or system than this one (${process.version}, ${process.platform} ${process.arch}): run npm rebuild better-sqlite3`,
      { cause },
    );
  }
}

/**
 * Opens a database. It lives as long as the process, even closed, with its prepared statements.
 *
 * Compiled against the headers of Node 24.19 or later, the driver aborts the process when one of
 * its objects is collected while no JavaScript context is entered, as in most collections
 * (nodejs/node#65446). So no object may become garbage. Prepare statements once. Use `exec` instead
 * of `pragma`, and `all` instead of `iterate`, because those two make objects that are not kept.
 * Version 13 of the driver needs none of this, but needs Node 22.
 *
 * @param file the path, which is created when it does not exist; `:memory:` stores nothing on disk.
 */
export function openDatabase(file: string, options: Database.Options): Database.Database {
  const db = keep(new Database(file, options));
  const prepare = db.prepare.bind(db);
  db.prepare = <Parameters extends unknown[] | object = unknown[], Result = unknown>(sql: string) =>
    keep(prepare<Parameters, Result>(sql));
  return db;
}

/**
 * Turns on the write-ahead log, so that readers and a writer do not block each other. The commit
 * that makes it longer than `pages` copies it into the database, and so waits for the disk twice.
 */
export function enableWriteAhead(db: Database.Database, pages = WRITE_AHEAD_PAGES): void {
  db.exec('PRAGMA journal_mode = WAL');
  db.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
}

/** Returns the bytes of the write-ahead log, by `stat`: closing a file drops SQLite's locks. */
export function writeAheadBytes(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Returns what tells a file or directory from another one that takes its place; undefined when
 * there is none. Opens nothing: a close would drop SQLite's locks.
 */
export function inodeOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/** Opens a database that exists, for work that may wait for locks of others, and closes it. */
export function useDatabase<Result>(file: string, work: (db: Database.Database) => Result): Result {
  const db = openDatabase(file, { fileMustExist: true, timeout: WAIT_MS });
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** Calls `make` for a database that was just opened, and closes the database when `make` fails. */
export function closeOnError<Made>(db: Database.Database, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    db.close();
    throw error;
  }
}

function keep<Kept>(object: Kept): Kept {
  kept.push(object);
  return object;
}

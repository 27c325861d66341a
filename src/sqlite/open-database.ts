import Database from 'better-sqlite3';

/** 16 MB: four times the default, as commits change pages all over an index, and most of them again and again. */
export const WRITE_AHEAD_PAGES = 4_000;

const kept: unknown[] = [];

/** @throws with the cure when the driver cannot be loaded, as it was installed for another Node or another system. */
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
 * Opens a database that lives, with every statement prepared on it, as long as the process, closed or not.
 *
 * Compiled against the headers of Node 24.19 or later, the driver aborts the process when one of its objects is
 * collected while no JavaScript context is entered, which is where most collections begin (nodejs/node#65446). So
 * none may become garbage: prepare statements once, and use `exec` instead of `pragma` and `all` instead of
 * `iterate`, as those two make objects that nobody keeps. Version 13 of the driver needs none of this.
 *
 * @param file path of the database; it is created when it does not exist. `:memory:` keeps nothing.
 */
export function openDatabase(file: string, options: Database.Options): Database.Database {
  const db = keep(new Database(file, options));
  const prepare = db.prepare.bind(db);
  db.prepare = <Parameters extends unknown[] | object = unknown[], Result = unknown>(sql: string) =>
    keep(prepare<Parameters, Result>(sql));
  return db;
}

/**
 * Lets readers and one writer go on beside each other, each commit being an append to a file, the write-ahead log.
 * That is taken over into the database by the commit with which it grows longer than `pages`, which waits for the disk
 * twice.
 */
export function writeAhead(db: Database.Database, pages = WRITE_AHEAD_PAGES): void {
  db.exec('PRAGMA journal_mode = WAL');
  db.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
}

/** What is made of a database that was just opened; it is closed when that cannot be made. */
export function orClosed<Made>(db: Database.Database, make: () => Made): Made {
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

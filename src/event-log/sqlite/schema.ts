import type Database from 'better-sqlite3';
import { sqliteCode } from '../../sqlite/sqlite-code.js';

const TABLE = `
CREATE TABLE IF NOT EXISTS events (
  position INTEGER PRIMARY KEY,
  stream   TEXT    NOT NULL,
  revision INTEGER NOT NULL,
  id       TEXT    NOT NULL,
  type     TEXT    NOT NULL,
  version  INTEGER NOT NULL,
  data     TEXT    NOT NULL,
  metadata TEXT    NOT NULL
) STRICT;
`;

/** The triggers that keep the log append-only for every statement, also for statements of other programs. */
const TRIGGERS = `
CREATE TRIGGER IF NOT EXISTS events_are_never_updated BEFORE UPDATE ON events
  BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER IF NOT EXISTS events_are_never_replaced BEFORE INSERT ON events
  WHEN EXISTS (SELECT 1 FROM events WHERE stream = NEW.stream AND revision = NEW.revision)
    OR EXISTS (SELECT 1 FROM events WHERE position = NEW.position)
  BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER IF NOT EXISTS events_are_never_deleted BEFORE DELETE ON events
  BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
`;

/** The index of streams. The release before uses it too, and makes another index only if no index has this name. */
const INDEX = 'CREATE UNIQUE INDEX IF NOT EXISTS events_of_stream ON events (stream, revision);';

const DROP_EARLIER = `
DROP TRIGGER IF EXISTS events_are_never_replaced;
DROP INDEX IF EXISTS events_of_stream;
`;

/** An observer that is told when a migration begins and ends. A migration may take seconds. */
export interface MigrationObserver {
  /** @param events the number of events in the log. */
  begun(events: number): void;
  ended(seconds: number): void;
}

/**
 * Creates the table of a log. In one transaction it replaces the index and the trigger of earlier releases, which use
 * the ends of stream names. No event changes. A file that may not be written keeps the earlier index and trigger.
 */
export function makeSchema(db: Database.Database, observer?: MigrationObserver): void {
  if (isOutdated(db)) migrate(db, observer);
  else db.exec(TABLE + TRIGGERS + indexOf(db));
}

/** Whether an earlier release made the indexes. */
export function isOutdated(db: Database.Database): boolean {
  const earlier = `SELECT 1 FROM sqlite_schema WHERE tbl_name = 'events' AND type <> 'table' AND sql LIKE '%substr(%'`;
  return db.prepare(earlier).get() !== undefined;
}

function migrate(db: Database.Database, observer: MigrationObserver | undefined): void {
  const began = performance.now();
  try {
    db.exec('BEGIN IMMEDIATE');
    // Another process may have been first.
    const isFirst = isOutdated(db);
    if (isFirst) {
      observer?.begun(
        db.prepare<[], number>('SELECT max(position) FROM events').pluck().get() ?? 0,
      );
      db.exec(DROP_EARLIER);
      db.exec(TRIGGERS + indexOf(db));
    }
    db.exec('COMMIT');
    if (isFirst) observer?.ended(Math.round(performance.now() - began) / 1_000);
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK');
    if (sqliteCode(error)?.startsWith('SQLITE_READONLY') !== true) throw error;
  }
}

/** Returns the SQL that creates the index; empty when a UNIQUE constraint made it, as in the first data directories. */
function indexOf(db: Database.Database): string {
  const own = db.prepare(`SELECT 1 FROM pragma_index_list('events') WHERE origin = 'u'`).get();
  return own === undefined ? INDEX : '';
}

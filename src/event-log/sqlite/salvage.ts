import type Database from 'better-sqlite3';

/** Takes the write-ahead log over: where it has lost its name, the end of the process is the end of what it holds. */
export function salvage(db: Database.Database): void {
  try {
    db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } catch {
    // The stop tries it once more.
  }
}

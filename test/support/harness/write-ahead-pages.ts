import type Database from 'better-sqlite3';

/**
 * The pages of a database's write-ahead log, and how many of them a checkpoint has copied into the
 * database.
 */
export interface WriteAheadPages {
  readonly written: number;
  readonly takenOver: number;
}

/** Makes a function that reads the state of the write-ahead log without a checkpoint. */
export function writeAheadPages(db: Database.Database): () => WriteAheadPages {
  const look = db
    .prepare<[], [busy: number, written: number, takenOver: number]>('PRAGMA wal_checkpoint(NOOP)')
    .raw();
  return () => {
    const [, written = 0, takenOver = 0] = look.get() ?? [];
    return { written, takenOver };
  };
}

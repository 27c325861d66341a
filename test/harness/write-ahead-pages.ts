import type Database from 'better-sqlite3';

/** How long the write-ahead log of a database is, in pages, and how many of them the database has. */
export interface WriteAheadPages {
  readonly written: number;
  readonly takenOver: number;
}

/** Gives a look at the write-ahead log of a database that takes nothing over. */
export function writeAheadPages(db: Database.Database): () => WriteAheadPages {
  const look = db
    .prepare<[], [busy: number, written: number, takenOver: number]>('PRAGMA wal_checkpoint(NOOP)')
    .raw();
  return () => {
    const [, written = 0, takenOver = 0] = look.get() ?? [];
    return { written, takenOver };
  };
}

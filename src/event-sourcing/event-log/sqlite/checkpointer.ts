import type Database from 'better-sqlite3';
import { WRITE_AHEAD_PAGES, writeAheadBytes } from '../../sqlite/open-database.js';

/** A checkpoint's result: whether a lock blocked it, pages in the write-ahead log, pages copied. */
type Pages = [busy: number, written: number, copied: number];

/** Checkpoints in a row. Commits often arrive during the first, seldom during the short next. */
const TIMES = 2;
/** How long commits pause before the write-ahead log is emptied, and before this is tried again. */
const QUIET_MS = 2_000;

/**
 * Copies a long write-ahead log into the database, so that another thread's commits need not.
 * Empties it when commits pause. SQLite syncs the log before it copies, the database before it
 * empties.
 */
export class Checkpointer {
  readonly #look;
  readonly #copy;
  readonly #empty;
  #last: unknown;
  #quietSince = 0;

  constructor(private readonly db: Database.Database) {
    const prepare = (mode: string) => db.prepare<[], Pages>(`PRAGMA wal_checkpoint(${mode})`).raw();
    this.#look = prepare('NOOP');
    this.#copy = prepare('PASSIVE');
    this.#empty = prepare('TRUNCATE');
  }

  /** Runs the checkpoint that is due, if any. @param head differs after each commit. */
  lookAround(head: unknown, now = performance.now()): void {
    if (head !== this.#last) this.#quietSince = now;
    this.#last = head;
    if (writeAheadBytes(this.db.name) === 0) return;
    const [, written = 0, copied] = this.#look.get() ?? [];
    if (written >= WRITE_AHEAD_PAGES && written !== copied) {
      for (let time = 0; time < TIMES; time++) this.#copy.get();
    }
    if (now - this.#quietSince < QUIET_MS) return;
    this.#quietSince = now;
    const [, all, done] = this.#copy.get() ?? [];
    // A reader keeps the rest.
    if (all === done) this.#empty.get();
  }
}

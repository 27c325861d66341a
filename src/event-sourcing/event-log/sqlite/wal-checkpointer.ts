import type Database from 'better-sqlite3';
import { statSync } from 'node:fs';
import { openDatabase, WRITE_AHEAD_PAGES } from '../../sqlite/open-database.js';

/** The result of a checkpoint: whether a lock blocked it, the pages in the write-ahead log, and the pages copied. */
type Pages = [busy: number, written: number, copied: number];

/** How many checkpoints run in a row. Commits often arrive during the first, but seldom during the short next one. */
const TIMES = 2;
/** How long commits must pause before the write-ahead log is emptied. */
const QUIET_MS = 2_000;
/** How long commits may continue before the log is emptied anyway. With the time of the attempts, under a minute. */
const LONGEST_MS = 45_000;
const TRY_AGAIN_AFTER_MS = 1_000;
/** How long a reader may hold the log before a report. A backup of a small log, or a list on a terminal, needs less. */
const HELD_FOR_LONG_MS = 30_000;

/** Returns the length of a database's write-ahead log, in bytes. Uses `stat`: closing a file drops SQLite's locks. */
export function writeAheadBytes(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Copies the write-ahead log into the database (a checkpoint), so that commits of other threads need not do this. It
 * copies early when the log grows long. When commits cease, or have gone on for some time, it also empties the file.
 */
export class WalCheckpointer {
  readonly #db: Database.Database;
  readonly #look;
  readonly #checkpoint;
  readonly #empty;
  readonly #version;
  #seenVersion: number | undefined;
  #changedAt = 0;
  #emptyAt: number;
  #tryAgainAt = 0;
  #heldSince: number | undefined;
  #isToldHeld = false;

  /** @param onHeld called with the bytes of the log, once in each period in which a reader holds the log for long. */
  constructor(
    private readonly file: string,
    private readonly onHeld: (bytes: number) => void = () => undefined,
    now = performance.now(),
  ) {
    this.#db = openDatabase(file, { fileMustExist: true, timeout: 0 });
    // A writer never waits for a checkpoint that waits for a reader.
    this.#db.exec('PRAGMA busy_timeout = 0');
    this.#db.exec('PRAGMA synchronous = FULL');
    const prepare = (mode: string) =>
      this.#db.prepare<[], Pages>(`PRAGMA wal_checkpoint(${mode})`).raw();
    this.#look = prepare('NOOP');
    this.#checkpoint = prepare('PASSIVE');
    this.#empty = prepare('TRUNCATE');
    this.#version = this.#db.prepare<[], number>('PRAGMA data_version').pluck();
    this.#emptyAt = now;
  }

  /** Runs the checkpoint that is due, if any, and blocks only its own thread. Appends continue in other threads. */
  lookAround(now = performance.now()): void {
    if (writeAheadBytes(this.file) === 0) {
      this.#emptyAt = now;
      this.#release();
      return;
    }
    const version = this.#version.get();
    if (version !== this.#seenVersion) this.#changedAt = now;
    this.#seenVersion = version;
    const [, written = 0, copied] = this.#look.get() ?? [];
    if (written >= WRITE_AHEAD_PAGES && written !== copied) {
      for (let time = 0; time < TIMES; time++) this.#checkpoint.get();
    }
    const isDue = now - this.#changedAt >= QUIET_MS || now - this.#emptyAt >= LONGEST_MS;
    if (!isDue || now < this.#tryAgainAt) return;
    this.#tryAgainAt = now + TRY_AGAIN_AFTER_MS;
    if (this.#copyAll(written)) this.#hold(now);
    else this.#release();
  }

  close(): void {
    this.#db.close();
  }

  /**
   * Copies the whole write-ahead log, and empties its file. If a commit arrived meanwhile, the file is not emptied,
   * because this would wait for the disk twice.
   * @param written the number of pages in the log before the copy. @returns whether a reader held the log.
   */
  #copyAll(written: number): boolean {
    const [, now = 0, copied = 0] = this.#checkpoint.get() ?? [];
    if (now !== copied) return copied < written;
    const [busy] = this.#empty.get() ?? [];
    return busy === 1 && this.#version.get() === this.#seenVersion;
  }

  #hold(now: number): void {
    this.#heldSince ??= now;
    if (this.#isToldHeld || now - this.#heldSince < HELD_FOR_LONG_MS) return;
    this.#isToldHeld = true;
    this.onHeld(writeAheadBytes(this.file));
  }

  #release(): void {
    this.#heldSince = undefined;
    this.#isToldHeld = false;
  }
}

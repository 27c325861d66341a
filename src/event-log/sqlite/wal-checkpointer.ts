import type Database from 'better-sqlite3';
import { statSync } from 'node:fs';
import { openDatabase, WRITE_AHEAD_PAGES } from '../../sqlite/open-database.js';

/** The result of a checkpoint: whether a lock blocked it, the pages in the write-ahead log, and the pages copied. */
type Pages = [busy: number, written: number, copied: number];

/** How many checkpoints run in a row. Commits often overtake the first, but seldom the second, which has few pages. */
const TIMES = 2;
/** How long commits must pause before the write-ahead log is emptied. */
const QUIET_MS = 2_000;
/** How long commits may go on before the log is emptied all the same. With the time of the attempts, under a minute. */
const LONGEST_MS = 45_000;
const TRY_AGAIN_AFTER_MS = 1_000;
/** How long a reader may hold the log unreported. A backup of a small log, or a list on a terminal, takes less. */
const HELD_FOR_LONG_MS = 30_000;

/** Returns the bytes of a database's write-ahead log; 0 when there is none. */
export function writeAheadBytes(file: string): number {
  return namedBytes(file) ?? 0;
}

/** Returns the bytes; undefined without a file. It uses `stat`, because closing an open file drops SQLite's locks. */
function namedBytes(file: string): number | undefined {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size;
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

  /** @param onHeld called with the bytes of the log, once for each time that a reader has held the log for long. */
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

  /** Runs the checkpoint that is due, if any, and blocks its own thread meanwhile. Appends go on in other threads. */
  lookAround(now = performance.now()): void {
    const bytes = namedBytes(this.file);
    // The thread of requests may be too busy to copy the log, and a file without a name is gone when the process ends.
    if (bytes === undefined) this.#checkpoint.get();
    if (bytes === undefined || bytes === 0) {
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
   * Copies the whole log, and empties it. If a commit came meanwhile, emptying would wait for the disk twice, so the
   * file stays.
   * @param written the pages in the log before. @returns whether a reader held the log.
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

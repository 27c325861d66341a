import type Database from 'better-sqlite3';
import { statSync } from 'node:fs';
import { openDatabase, WRITE_AHEAD_PAGES } from '../../sqlite/open-database.js';

/** SQLite's answer to a checkpoint: whether a lock was in the way, the pages in the log, and those copied from it. */
type Pages = [busy: number, written: number, copied: number];

/** The first checkpoint copies most pages, and commits overtake it. The second has few, and often no commit does. */
const TIMES = 2;
/** How long no commit comes before the log is made one file again. */
const QUIET_MS = 2_000;
/** The same while commits go on. With the time of the attempts it is less than a minute. */
const LONGEST_MS = 45_000;
const TRY_AGAIN_AFTER_MS = 1_000;
/** A backup of a small log, and a list on a terminal, take less. */
const HELD_FOR_LONG_MS = 30_000;

/** The bytes of a database's write-ahead log; 0 when there is none. */
export function writeAheadBytes(file: string): number {
  return namedBytes(file) ?? 0;
}

/** Undefined where no file has its name. Only looked at, as opening costs SQLite its locks. */
function namedBytes(file: string): number | undefined {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size;
}

/**
 * Checkpoints: copies the write-ahead log into the database, so that commits of other threads need not wait for that. It
 * copies early when the log grows long. When commits cease, or have gone on for some time, it copies all and empties the file.
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

  /** @param onHeld called once, with the bytes of the log, when a reader has kept it for long. */
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

  /** Does the checkpoint that is due, and holds its thread meanwhile. Appends go on in other threads. */
  lookAround(now = performance.now()): void {
    const bytes = namedBytes(this.file);
    // The thread of requests may be busy, and a file without its name is gone with the process.
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
   * Copies all of the log and empties it, unless a commit came meanwhile: that would wait for the disk twice.
   * @param written pages in the log before. @returns whether a reader held it.
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

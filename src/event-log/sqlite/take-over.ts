import type Database from 'better-sqlite3';
import { statSync } from 'node:fs';
import { openDatabase, WRITE_AHEAD_PAGES } from '../../sqlite/open-database.js';

/** What SQLite says of the write-ahead log: whether somebody was in the way, and pages in it and taken over from it. */
type Pages = [busy: number, written: number, takenOver: number];

/** The first has most of the pages to do, and commits overtake it; the second has so few that often none does. */
const TIMES = 2;
/** Without a commit, until the log is one file again. */
const QUIET_MS = 2_000;
/** While commits go on. With what the attempts take it is less than a minute. */
const LONGEST_MS = 45_000;
const TRY_AGAIN_AFTER_MS = 1_000;
/** A backup of a small log and a list on a terminal take less. */
const HELD_FOR_LONG_MS = 30_000;

/** Bytes of the write-ahead log of a database; 0 when there is none. */
export function writeAheadBytes(file: string): number {
  return namedBytes(file) ?? 0;
}

/** Undefined where no file has its name. Only looked at, as opening costs SQLite its locks. */
function namedBytes(file: string): number | undefined {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size;
}

/**
 * Takes the write-ahead log over into the database, for connections in other threads that would stand still for it: early
 * when it grows long, and all of it, to an empty file, when commits cease or have gone on for some time.
 */
export class TakeOver {
  readonly #db: Database.Database;
  readonly #look;
  readonly #takeOver;
  readonly #empty;
  readonly #version;
  #seenVersion: number | undefined;
  #changedAt = 0;
  #emptyAt: number;
  #tryAgainAt = 0;
  #heldSince: number | undefined;
  #isToldHeld = false;

  /** @param onHeld told once, with its bytes, when a reader has kept the write-ahead log for long. */
  constructor(
    private readonly file: string,
    private readonly onHeld: (bytes: number) => void = () => undefined,
    now = performance.now(),
  ) {
    this.#db = openDatabase(file, { fileMustExist: true, timeout: 0 });
    // Nobody who writes waits for a take-over that waits for a reader.
    this.#db.exec('PRAGMA busy_timeout = 0');
    this.#db.exec('PRAGMA synchronous = FULL');
    const prepare = (mode: string) =>
      this.#db.prepare<[], Pages>(`PRAGMA wal_checkpoint(${mode})`).raw();
    this.#look = prepare('NOOP');
    this.#takeOver = prepare('PASSIVE');
    this.#empty = prepare('TRUNCATE');
    this.#version = this.#db.prepare<[], number>('PRAGMA data_version').pluck();
    this.#emptyAt = now;
  }

  /** Does what is due, and holds its thread for as long as the disk takes; appends go on beside it. */
  lookAround(now = performance.now()): void {
    const bytes = namedBytes(this.file);
    // The thread of requests may be busy, and a file without its name is gone with the process.
    if (bytes === undefined) this.#takeOver.get();
    if (bytes === undefined || bytes === 0) {
      this.#emptyAt = now;
      this.#release();
      return;
    }
    const version = this.#version.get();
    if (version !== this.#seenVersion) this.#changedAt = now;
    this.#seenVersion = version;
    const [, written = 0, takenOver] = this.#look.get() ?? [];
    if (written >= WRITE_AHEAD_PAGES && written !== takenOver) {
      for (let time = 0; time < TIMES; time++) this.#takeOver.get();
    }
    const isDue = now - this.#changedAt >= QUIET_MS || now - this.#emptyAt >= LONGEST_MS;
    if (!isDue || now < this.#tryAgainAt) return;
    this.#tryAgainAt = now + TRY_AGAIN_AFTER_MS;
    if (this.#takeAllOver(written)) this.#hold(now);
    else this.#release();
  }

  close(): void {
    this.#db.close();
  }

  /**
   * Empties the write-ahead log unless a commit came meanwhile, which would wait for the disk twice.
   * @param written pages in it before. @returns whether a reader held it.
   */
  #takeAllOver(written: number): boolean {
    const [, now = 0, takenOver = 0] = this.#takeOver.get() ?? [];
    if (now !== takenOver) return takenOver < written;
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

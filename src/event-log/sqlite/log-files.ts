import type Database from 'better-sqlite3';
import { setTimeout as delay } from 'node:timers/promises';
import type { FilesInPlace } from '../../sqlite/files-in-place.js';

/** How long answers wait for a reader that keeps the write-ahead log. Refusals come within a second. */
const DEADLINE_MS = 800;
const TRY_AGAIN_AFTER_MS = 10;

/** The result of a checkpoint: whether another one was in its way, pages in the write-ahead log, pages copied from it. */
type Pages = [busy: number, written: number, copied: number];

/**
 * The files of an open log. Once one of them lost its name, the write-ahead log is copied into `events.db`: the end of the
 * process is the end of a file without a name.
 */
export class LogFiles {
  readonly #checkpoint;
  #isCopied = false;
  #deadline: number | undefined;

  /**
   * @param file the database.
   * @param inPlace the files that are watched. Absent: none is.
   */
  constructor(
    db: Database.Database,
    private readonly file: string,
    private readonly inPlace: FilesInPlace | undefined,
  ) {
    this.#checkpoint = db.prepare<[], Pages>('PRAGMA wal_checkpoint(PASSIVE)').raw();
  }

  /** To be called when all are open. */
  opened(): void {
    this.inPlace?.opened();
  }

  /** Says what became of a file, if one was removed or replaced, and tries once to copy the write-ahead log then. */
  problem(): string | undefined {
    const problem = this.inPlace?.problem();
    if (problem !== undefined) this.#copy();
    return problem;
  }

  /** Waits for the copy of the write-ahead log. @returns whether all commits outlive the process. */
  async secured(): Promise<boolean> {
    this.#deadline ??= performance.now() + DEADLINE_MS;
    while (!this.#copy()) {
      if (performance.now() > this.#deadline) return false;
      await delay(TRY_AGAIN_AFTER_MS);
    }
    return this.inPlace?.has(this.file) ?? true;
  }

  /** Nothing is written once a file is missing, so a complete copy stays complete. */
  #copy(): boolean {
    if (this.#isCopied) return true;
    try {
      const [busy, written, copied] = this.#checkpoint.get() ?? [];
      this.#isCopied = busy === 0 && written === copied;
    } catch {
      // Tried again by the next append, or the next look at the files.
    }
    return this.#isCopied;
  }
}

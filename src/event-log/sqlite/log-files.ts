import type Database from 'better-sqlite3';
import { setTimeout as delay } from 'node:timers/promises';
import type { FilesInPlace } from '../../sqlite/files-in-place.js';

/** How long appends wait while a reader blocks the copy of the write-ahead log. So refusals come within a second. */
const DEADLINE_MS = 800;
const TRY_AGAIN_AFTER_MS = 10;

/** The result of a checkpoint: whether another checkpoint blocked it, pages in the write-ahead log, pages copied. */
type Pages = [busy: number, written: number, copied: number];

/**
 * The files of an open log. Once a file was removed or replaced, the write-ahead log is copied into `events.db`,
 * because a file without a name is gone when the process ends.
 */
export class LogFiles {
  readonly #checkpoint;
  #isCopied = false;
  #deadline: number | undefined;

  /**
   * @param file the database.
   * @param inPlace the files that are watched. Without `inPlace`, no file is watched.
   */
  constructor(
    db: Database.Database,
    private readonly file: string,
    private readonly inPlace: FilesInPlace | undefined,
  ) {
    this.#checkpoint = db.prepare<[], Pages>('PRAGMA wal_checkpoint(PASSIVE)').raw();
  }

  /** Begins to watch the files. To be called when all files are open. */
  opened(): void {
    this.inPlace?.opened();
  }

  /** Returns which file was removed or replaced, if any. In that case, tries once to copy the write-ahead log. */
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

  /** Tries to finish the copy. @returns whether the copy is complete. It stays complete, as appends are now refused. */
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

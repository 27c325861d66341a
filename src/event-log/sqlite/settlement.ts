import type Database from 'better-sqlite3';
import { setTimeout as delay } from 'node:timers/promises';
import { sqliteCode } from '../../sqlite/sqlite-code.js';

/** A disk may fail for a moment; who waits for an answer does not wait for longer. */
const SETTLED_WITHIN_MS = 2_000;
const TRY_AGAIN_AFTER_MS = 50;

/**
 * Whether a commit that failed may have left all of its pages in the write-ahead log, where recovery after a crash would find
 * them. It may have, unless SQLite says that another holds the lock, that there was no room, or that a page could not be
 * written: the page that ends a commit is the last to be written. A quota, and a limit of file sizes, are such a failed write.
 */
export function mayComeBack(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && code.startsWith('SQLITE_IOERR') && code !== 'SQLITE_IOERR_WRITE';
}

/**
 * Makes sure that a commit that failed never comes back. A commit of one page stands where the first page of the failed one
 * stood, and is synced. Recovery reads pages in order, each checked by a sum over all before it, so it ends there.
 */
export class Settlement {
  readonly #version;

  constructor(private readonly db: Database.Database) {
    this.#version = db.prepare<[], number>('PRAGMA user_version').pluck();
  }

  /** @throws the fault of the last attempt, when none succeeds for some time. */
  async settle(): Promise<void> {
    const deadline = performance.now() + SETTLED_WITHIN_MS;
    for (;;) {
      try {
        // Writes its page, though the number stays the same.
        this.db.exec(`PRAGMA user_version = ${this.#version.get() ?? 0}`);
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await delay(TRY_AGAIN_AFTER_MS);
      }
    }
  }
}

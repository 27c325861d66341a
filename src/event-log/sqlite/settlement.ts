import type Database from 'better-sqlite3';
import { setTimeout as delay } from 'node:timers/promises';
import { sqliteCode } from '../../sqlite/sqlite-code.js';

/** A disk may fail for a moment; a caller does not wait for longer. */
const SETTLED_WITHIN_MS = 2_000;
const TRY_AGAIN_AFTER_MS = 50;

/**
 * Whether recovery after a crash could find a failed commit in the write-ahead log, as all of its pages are there. It could
 * not where SQLite names a lock, a lack of room or a failed write: the page that ends a commit is written last.
 */
export function mayComeBack(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && code.startsWith('SQLITE_IOERR') && code !== 'SQLITE_IOERR_WRITE';
}

/**
 * Makes sure that a failed commit never comes back. It commits one page to the place of the first page of the failed commit,
 * and syncs it. Recovery reads pages in order and checks each by a sum over all before it, so it ends there.
 */
export class Settlement {
  readonly #version;

  constructor(private readonly db: Database.Database) {
    this.#version = db.prepare<[], number>('PRAGMA user_version').pluck();
  }

  /** @throws the fault of the last attempt, when no attempt succeeds for some time. */
  async settle(): Promise<void> {
    const deadline = performance.now() + SETTLED_WITHIN_MS;
    for (;;) {
      try {
        // The page is written, though the number stays the same.
        this.db.exec(`PRAGMA user_version = ${this.#version.get() ?? 0}`);
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await delay(TRY_AGAIN_AFTER_MS);
      }
    }
  }
}

import type Database from 'better-sqlite3';
import { setTimeout as delay } from 'node:timers/promises';
import { sqliteCode } from '../../sqlite/sqlite-code.js';

/** How long `settle` retries. A disk may fail for a moment, but a caller must not wait longer than this. */
const SETTLED_WITHIN_MS = 2_000;
const TRY_AGAIN_AFTER_MS = 50;

/**
 * Whether a failed commit may come back after a crash, because all of its pages may be in the write-ahead log. A lock,
 * a full disk or a failed write rules that out, because the page that ends a commit is written last.
 */
export function mayComeBack(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && code.startsWith('SQLITE_IOERR') && code !== 'SQLITE_IOERR_WRITE';
}

/**
 * Makes sure that a failed commit never comes back: overwrites its first page with a commit of one page, which is
 * synced. The checksum of each page covers all pages before, so recovery, which reads in order, ends after this page.
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

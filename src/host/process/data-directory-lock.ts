import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { openDatabase } from '../../event-sourcing/sqlite/open-database.js';
import { isBusy } from '../../event-sourcing/sqlite/sqlite-code.js';

/**
 * Locks a data directory for this process. The lock is an operating system lock that SQLite takes on a file. The
 * lock ends with the process, even after a crash.
 * @returns a function that releases the lock.
 * @throws Error when another service holds the lock, and when the directory is read-only.
 */
export function lockDataDirectory(directory: string): () => void {
  let lock: Database.Database | undefined;
  try {
    mkdirSync(directory, { recursive: true });
    accessSync(directory, constants.W_OK);
    lock = openDatabase(join(directory, 'service.lock'), { timeout: 0 });
    lock.exec('PRAGMA journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock?.close();
    const problem = isBusy(cause)
      ? `another keyledger service is running on the data directory ${directory}`
      : `the data directory ${directory} cannot be written: ${String(cause)}`;
    throw new Error(problem, { cause });
  }
  const held = lock;
  return () => void held.close();
}

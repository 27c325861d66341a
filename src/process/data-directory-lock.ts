import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { openDatabase } from '../sqlite/open-database.js';
import { isBusy } from '../sqlite/sqlite-code.js';

/**
 * Claims a data directory for this process. The claim is a lock of the operating system, held through
 * SQLite, so it ends with the process however that ends.
 * @returns what gives the claim up.
 * @throws when another running service has it, or when the directory cannot be written.
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
  return () => held.close();
}

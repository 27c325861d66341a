import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/**
 * Claims a data directory for this process. The claim is a lock of the operating system, held through
 * SQLite, so it ends with the process however that ends.
 * @returns what gives the claim up.
 * @throws when another running service has it, or when the directory cannot be written.
 */
export function lockDataDirectory(directory: string): () => void {
  mkdirSync(directory, { recursive: true });
  const lock = new Database(join(directory, 'service.lock'), { timeout: 0 });
  try {
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') {
      const problem = `another keyledger service is running on the data directory ${directory}`;
      throw new Error(problem, { cause: error });
    }
    throw error;
  }
  return () => lock.close();
}

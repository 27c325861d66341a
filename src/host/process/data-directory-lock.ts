import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ExclusiveFile } from '../../event-sourcing/sqlite/exclusive-file.js';
import { messageOf } from '../../kernel/errors.js';

/**
 * Locks a data directory for this process. The lock ends with the process, even after a crash.
 * @returns a function that releases the lock.
 * @throws Error when another service holds the lock, and when the directory is read-only.
 */
export function lockDataDirectory(directory: string): () => void {
  const lock = new ExclusiveFile(join(directory, 'service.lock'));
  if (!takeLock(directory, lock)) {
    throw new Error(`another keyledger service is running on the data directory ${directory}`);
  }
  return () => lock.release();
}

function takeLock(directory: string, lock: ExclusiveFile): boolean {
  try {
    mkdirSync(directory, { recursive: true });
    accessSync(directory, constants.W_OK);
    return lock.take();
  } catch (cause) {
    const problem = `the data directory ${directory} cannot be written: ${messageOf(cause)}`;
    throw new Error(problem, { cause });
  }
}

import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * Waits until a file, or the names in a directory, are on the disk. SQLite must not have the file open in this process,
 * because closing the file here would drop the locks of SQLite.
 */
export function synced(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

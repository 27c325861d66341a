import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * Waits until a file, or the names in a directory, are on the disk. The file must not be open in this process by SQLite:
 * closing it here would drop the locks.
 */
export function synced(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

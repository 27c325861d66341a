import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSystemError } from '../kernel/system-error.js';
import type { FileIdentities } from '../sqlite/files-in-place.js';

/** The process that holds the lock of a data directory, as a file records it. A killed process leaves a stale file. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** The identities of the files that the process has open. */
  readonly files: FileIdentities;
}

function fileOf(directory: string): string {
  return join(directory, 'service.json');
}

/** Writes the holder of a data directory into its file. */
export function nameHolder(directory: string, holder: Holder): void {
  const file = fileOf(directory);
  // The rename is atomic, so no process reads a part of the file.
  writeFileSync(`${file}.new`, `${JSON.stringify(holder)}\n`);
  renameSync(`${file}.new`, file);
}

/** Removes the file that names the holder of a data directory. */
export function unnameHolder(directory: string): void {
  rmSync(fileOf(directory), { force: true });
}

/** Returns the last holder of a data directory; undefined when no readable file names a holder. */
export function holderOf(directory: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(directory), 'utf8')) as Holder;
  } catch (error) {
    if (isSystemError(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

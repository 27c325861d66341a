import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSystemError } from '../kernel/system-error.js';
import type { FileIdentities } from '../sqlite/files-in-place.js';

/** Who holds the lock of a data directory. It stays when the process is killed, and means nothing then. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Those that the process has open. */
  readonly files: FileIdentities;
}

function fileOf(directory: string): string {
  return join(directory, 'service.json');
}

export function nameHolder(directory: string, holder: Holder): void {
  const file = fileOf(directory);
  // Under another name first: nobody reads a part.
  writeFileSync(`${file}.new`, `${JSON.stringify(holder)}\n`);
  renameSync(`${file}.new`, file);
}

export function unnameHolder(directory: string): void {
  rmSync(fileOf(directory), { force: true });
}

/** Who was named last; undefined when nobody was, or nobody can read it. */
export function holderOf(directory: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(directory), 'utf8')) as Holder;
  } catch (error) {
    if (isSystemError(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

const OTHERS_WRITE = 0o002;
/** The sticky bit, which /tmp has. With this bit, users cannot replace files of other users. */
const STICKY = 0o1000;
/** Files that a service creates. If at least one exists, this is not the first start. */
const MADE = ['events.db', 'read-models'];

function isOpenToOthers(directory: string): boolean {
  const mode = statSync(directory, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0;
}

/**
 * Checks that other users cannot replace files of a data directory.
 * @returns a warning if they can, and the directory holds data already; undefined if they cannot.
 * @throws Error that names the remedy if other users can, and the directory holds no data yet.
 */
export function checkOpenToOthers(directory: string): string | undefined {
  if (!isOpenToOthers(directory)) return undefined;
  const problem = `everybody on this machine can write to the data directory ${directory}`;
  const cure = `chmod o-w ${directory}`;
  if (MADE.some((file) => existsSync(join(directory, file)))) return `${problem}: ${cure}`;
  throw new Error(`${problem}: ${cure}, or set DATA_DIR to a directory below it`);
}

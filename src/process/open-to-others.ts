import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

const OTHERS_WRITE = 0o002;
/** The sticky bit, as on /tmp: users cannot replace files of others. */
const STICKY = 0o1000;
/** Files that a service creates. If any of them exists, this is not the first start. */
const MADE = ['events.db', 'read-models'];

/** Whether other users can replace files of a directory. */
export function isOpenToOthers(directory: string): boolean {
  const mode = statSync(directory, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0;
}

/**
 * Checks that other users cannot replace files of a data directory.
 * @returns a warning for a directory that holds data already; undefined when all is well.
 * @throws Error with the cure when others can write and the directory holds no data yet.
 */
export function warningOfOpenDirectory(directory: string): string | undefined {
  if (!isOpenToOthers(directory)) return undefined;
  const problem = `everybody on this machine can write to the data directory ${directory}`;
  const cure = `chmod o-w ${directory}`;
  if (MADE.some((file) => existsSync(join(directory, file)))) return `${problem}: ${cure}`;
  throw new Error(`${problem}: ${cure}, or set DATA_DIR to a directory below it`);
}

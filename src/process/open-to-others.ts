import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

const OTHERS_WRITE = 0o002;
/** In a directory with it, such as /tmp, others cannot replace what is not theirs. */
const STICKY = 0o1000;
/** What a service makes there, which says that this is no first start. */
const MADE = ['events.db', 'read-models'];

/**
 * Judges whether others can replace what is in a data directory.
 * @returns what an operator is to be warned of, or undefined; it has data that are served all the same.
 * @throws with the cure when others can write and nothing is there yet.
 */
export function warningOfOpenDirectory(directory: string): string | undefined {
  const mode = statSync(directory, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0) return undefined;
  const problem = `everybody on this machine can write to the data directory ${directory}`;
  const cure = `chmod o-w ${directory}`;
  if (MADE.some((file) => existsSync(join(directory, file)))) return `${problem}: ${cure}`;
  throw new Error(`${problem}: ${cure}, or set DATA_DIR to a directory below it`);
}

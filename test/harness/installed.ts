import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Finds an installed program, also in the directories of root's PATH; undefined when it is missing. */
export function installed(program: string): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(':'), '/usr/local/sbin', '/usr/sbin'];
  return directories.map((directory) => join(directory, program)).find(existsSync);
}

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder of programs that test/project/deploy/fetch-programs.mjs fetched. */
const FETCHED = resolve('node_modules/.cache/keyledger/programs');

/**
 * Finds an installed program, also in the directories of root's PATH; undefined when it is missing.
 */
export function installed(program: string): string | undefined {
  const directories = [
    ...(process.env.PATH ?? '').split(':'),
    '/usr/local/sbin',
    '/usr/sbin',
    FETCHED,
  ];
  return directories.map((directory) => join(directory, program)).find(existsSync);
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where a program is installed; servers are often where only root looks for them. Undefined where it is not. */
export function installed(program: string): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(':'), '/usr/local/sbin', '/usr/sbin'];
  return directories.map((directory) => join(directory, program)).find(existsSync);
}

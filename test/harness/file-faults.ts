import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Lets no file that a process writes grow beyond a size, as a full disk would; `unlimited` gives the space
 * back. Linux only, by `prlimit` of util-linux.
 */
export async function limitFileSize(pid: number, bytes: number | 'unlimited'): Promise<void> {
  try {
    await run('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
  } catch (cause) {
    const problem =
      'a full disk cannot be tried: `prlimit` (package util-linux) is missing or failed';
    throw new Error(problem, { cause });
  }
}

/**
 * What a command must be run through so that file permissions bind it: nothing for a common user, for root
 * the loss of the right to pass over them, by `setpriv` of util-linux.
 */
export function boundByPermissions(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  return ['setpriv', '--bounding-set=-dac_override,-dac_read_search'];
}

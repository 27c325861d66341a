import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
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

/** Whether `failSyncs` can be used here. */
export function canFailSyncs(): boolean {
  return spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
}

/**
 * Lets the thread of requests fail to write files through to the disk, by `strace`.
 * @param which of its next attempts: the first one, or all of them.
 * @returns what gives the disk back.
 */
export async function failSyncs(pid: number, which: 'first' | 'all'): Promise<() => Promise<void>> {
  const when = which === 'first' ? ':when=1' : '';
  const inject = `inject=fdatasync,fsync:error=EIO${when}`;
  const strace = spawn(
    'strace',
    ['-p', String(pid), '-o', '/dev/null', '-e', 'trace=fdatasync,fsync', '-e', inject],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(strace, 'close');
  // It says that it is attached.
  await Promise.race([once(strace.stderr, 'data'), ended]);
  if (strace.exitCode !== null) throw new Error('`strace` could not attach to the service');
  return async () => {
    strace.kill();
    await ended;
  };
}

import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Limits the size of the files that a process writes, like a full disk. `unlimited` gives the space
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
 * Gives a wrapper that makes file permissions apply to a command. A common user needs none; root
 * drops the capability to ignore permissions, by `setpriv` of util-linux.
 */
export function boundByPermissions(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  return ['setpriv', '--bounding-set=-dac_override,-dac_read_search'];
}

/** Whether `failSyncs` works on this machine. */
export function canFailSyncs(): boolean {
  return spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
}

/** Makes each sync of a process fail, by `strace`. @returns a function that ends the fault. */
export async function failSyncs(pid: number): Promise<() => Promise<void>> {
  const inject = 'inject=fdatasync,fsync:error=EIO';
  const strace = spawn(
    'strace',
    ['-f', '-p', String(pid), '-o', '/dev/null', '-e', 'trace=fdatasync,fsync', '-e', inject],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(strace, 'close');
  // strace writes a line when it is attached.
  await Promise.race([once(strace.stderr, 'data'), ended]);
  if (strace.exitCode !== null) throw new Error('`strace` could not attach to the service');
  return async () => {
    strace.kill();
    await ended;
  };
}

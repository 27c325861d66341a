import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { installed } from '../harness/installed.js';

const SOURCE = resolve('test/support/disk/disk.c');

/**
 * Compiles the library that records and slows a disk (disk.c). @returns its path, for LD_PRELOAD.
 */
export function diskLibrary(directory: string): string {
  const library = join(directory, 'disk.so');
  const compiler = installed('cc') ?? 'cc';
  const made = spawnSync(compiler, ['-shared', '-fPIC', '-O1', '-o', library, SOURCE], {
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`disk.c cannot be compiled:\n${made.stderr}`);
  return library;
}

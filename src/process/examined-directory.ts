import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../kernel/errors.js';
import { isSystemError } from '../kernel/system-error.js';
import { isServed } from './data-directory-lock.js';

/** The files that a service keeps in a data directory. */
const KEPT = ['events.db', 'events.db-wal', 'read-models'];
/** Files that SQLite creates when it opens a database. */
const SHARED_MEMORY = /-shm$/;

/** A data directory that a command may open. The command calls `dispose` when it no longer needs the directory. */
export interface ExaminedDirectory {
  readonly path: string;
  readonly isCopy: boolean;
  dispose(): void;
}

/**
 * Returns the directory that a read-only command opens: the data directory, or a copy if that one is not writable.
 * SQLite needs a writable directory, because it writes files beside a database that it reads.
 * @throws Error when a service runs on a directory that must be copied, and when the copy fails.
 */
export function examined(directory: string): ExaminedDirectory {
  if (isWritable(directory)) return { path: directory, isCopy: false, dispose: () => undefined };
  const problem = `the data directory ${directory} is not writable`;
  if (isServed(directory)) {
    throw new Error(`${problem}, and a keyledger service runs on it: run the command as its user`);
  }
  const copy = mkdtempSync(join(tmpdir(), 'keyledger-'));
  const dispose = (): void => rmSync(copy, { recursive: true, force: true });
  disposeAtSignal(dispose);
  try {
    for (const name of KEPT) copyInto(join(copy, name), join(directory, name));
  } catch (cause) {
    dispose();
    throw new Error(`${problem}, nor copied to ${tmpdir()}: ${messageOf(cause)}`, { cause });
  }
  return { path: copy, isCopy: true, dispose };
}

/** Whether a data directory and the service's files in it are writable. Other files, such as backups, do not count. */
function isWritable(directory: string): boolean {
  return (
    isWritableItself(directory) && KEPT.every((name) => isWritableWithin(join(directory, name)))
  );
}

function isWritableWithin(path: string): boolean {
  if (!isWritableItself(path)) return false;
  const found = statSync(path, { throwIfNoEntry: false });
  return (
    found?.isDirectory() !== true ||
    readdirSync(path).every((name) => isWritableWithin(join(path, name)))
  );
}

/** Whether a path is writable. A missing file counts as writable, because only its directory must be writable. */
function isWritableItself(path: string): boolean {
  if (!existsSync(path)) return true;
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    if (isSystemError(error)) return false;
    throw error;
  }
}

/** Copies a file, or a directory with its files. A missing source is skipped. */
function copyInto(target: string, source: string): void {
  if (!existsSync(source)) return;
  if (statSync(source).isDirectory()) {
    mkdirSync(target);
    for (const name of readdirSync(source)) copyInto(join(target, name), join(source, name));
  } else if (!SHARED_MEMORY.test(source)) {
    copyFileSync(source, target, constants.COPYFILE_FICLONE);
    chmodSync(target, 0o600);
  }
}

/** Calls `dispose` and exits on a signal, unless the command has its own listener and calls `dispose` itself. */
function disposeAtSignal(dispose: () => void): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) > 1) return;
      dispose();
      process.exit(code);
    });
  }
}

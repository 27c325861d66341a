import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type Database from 'better-sqlite3';
import { changeOf, identitiesOf } from '../sqlite/files-in-place.js';
import { openDatabase } from '../sqlite/open-database.js';
import { isBusy } from '../sqlite/sqlite-code.js';
import { type Holder, holderOf, nameHolder, unnameHolder } from './data-directory-holder.js';

/** How long start-up waits for the lock. A command that tests the lock holds a shared lock for a moment. */
const LOOKED_AT_MS = 250;

/** A data directory that this process has locked. */
export interface LockedDirectory {
  /** Records this process and its open files, for commands that run beside the service. */
  name(files: readonly string[]): void;
  release(): void;
}

export function lockFileOf(directory: string): string {
  return join(directory, 'service.lock');
}

/**
 * Locks a data directory for this process. The lock is an operating system lock that SQLite takes on a file. The
 * lock ends with the process, even after a crash.
 * @throws Error that names the other process when another service holds the lock; Error if the directory is read-only.
 */
export function lockDataDirectory(directory: string): LockedDirectory {
  let lock: Database.Database | undefined;
  try {
    mkdirSync(directory, { recursive: true });
    accessSync(directory, constants.W_OK);
    lock = openDatabase(lockFileOf(directory), { timeout: LOOKED_AT_MS });
    lock.exec('PRAGMA journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock?.close();
    const problem = isBusy(cause)
      ? `another keyledger service is running on the data directory ${directory}${named(holderOf(directory))}`
      : `the data directory ${directory} cannot be written: ${String(cause)}`;
    throw new Error(problem, { cause });
  }
  const held = lock;
  return {
    name(files) {
      const all = [...files, lockFileOf(directory)].map((file) => resolve(file));
      nameHolder(directory, { pid: process.pid, host: hostname(), files: identitiesOf(all) });
    },
    release() {
      unnameHolder(directory);
      held.close();
    },
  };
}

/**
 * Checks that a running service still has the files of its data directory open. A command calls this function before it
 * opens the files.
 * @throws Error when a file was removed or replaced, because a write to a new file would be lost.
 */
export function requireFilesOfService(directory: string): void {
  const holder = holderOf(directory);
  if (!holder) return;
  const change = changeOf(holder.files);
  if (change === undefined || !isHeld(resolve(lockFileOf(directory)), holder)) return;
  throw new Error(
    `${change} while a keyledger service runs on ${directory}${named(holder)}: what is written beside it would be lost; restart the service first`,
  );
}

/**
 * Whether the service that a holder names still runs. If the lock file was replaced, the id of the process decides. A
 * process on another host then counts as running.
 */
function isHeld(lockFile: string, { files, pid, host }: Holder): boolean {
  const identity = files[lockFile];
  // The directory is a copy of the directory of another service.
  if (identity === undefined) return false;
  if (identitiesOf([lockFile])[lockFile] !== identity) return host !== hostname() || isRunning(pid);
  return isLocked(lockFile);
}

/** Whether a service runs on a data directory. Only reads the lock file. */
export function isServed(directory: string): boolean {
  const lockFile = lockFileOf(directory);
  return existsSync(lockFile) && isLocked(lockFile);
}

function isLocked(lockFile: string): boolean {
  const lock = openDatabase(lockFile, { readonly: true, timeout: 0 });
  try {
    lock.exec('SELECT count(*) FROM sqlite_master');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    lock.close();
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function named(holder: Holder | undefined): string {
  return holder ? ` (process ${holder.pid} on ${holder.host})` : '';
}

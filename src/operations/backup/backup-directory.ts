import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../kernel/errors.js';
import { isOpenToOthers } from '../../process/open-to-others.js';
import { synced } from './synced.js';

/** The name of a finished backup, such as `keyledger-20260105T091500.123Z.db`. Names sort by time. */
const NAME = /^keyledger-\d{8}T\d{6}\.\d{3}Z\.db$/;
/** The name of an unfinished backup, or of the journal that SQLite may have beside the backup. */
const UNFINISHED = /^keyledger-\d{8}T\d{6}\.\d{3}Z\.db\.unfinished(-journal)?$/;
/** The time without a change after which an unfinished backup counts as abandoned. */
const ABANDONED_MS = 3_600_000;

/** Returns a time in the form that file names contain, such as `20260105T091500.123Z`. */
export function stampOf(moment: Date): string {
  return moment.toISOString().replaceAll(/[-:]/g, '');
}

/** A backup that is being made. */
export interface Unfinished {
  /** The path of the new file, which is empty at first. Only the owner of the file may read or write the file. */
  readonly path: string;
  /** Renames the file to its name as a finished backup. @returns the new path. */
  finish(): string;
  discard(): void;
}

/** A directory with backups. Removes nothing but unfinished backups, and older backups of the same log. */
export class BackupDirectory {
  /** @param path the directory. If it is missing, it is made for its owner alone. @throws Error that names the path. */
  constructor(private readonly path: string) {
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 });
    } catch (cause) {
      throw new Error(`${path} cannot be made: ${messageOf(cause)}`, { cause });
    }
    if (isOpenToOthers(path)) {
      throw new Error(`everybody on this machine can write to ${path}: chmod o-w ${path}`);
    }
  }

  /** @throws Error when the directory has no room for a file of so many bytes. */
  requireRoom(bytes: number): void {
    const { bavail, bsize } = statfsSync(this.path);
    const free = bavail * bsize;
    if (free >= bytes) return;
    throw new Error(`the backup needs ${bytes} bytes, and ${this.path} has room for ${free}`);
  }

  /** Makes the file of a new backup. */
  begin(moment: Date): Unfinished {
    const path = join(this.path, `keyledger-${stampOf(moment)}.db`);
    if (existsSync(path)) throw new Error(`${path} exists already`);
    const unfinished = `${path}.unfinished`;
    try {
      closeSync(openSync(unfinished, 'wx', 0o600));
    } catch (cause) {
      throw new Error(`the backup cannot be written: ${messageOf(cause)}`, { cause });
    }
    return {
      path: unfinished,
      finish: () => {
        synced(unfinished);
        renameSync(unfinished, path);
        synced(this.path);
        return path;
      },
      discard: () => {
        for (const file of [unfinished, `${unfinished}-journal`]) rmSync(file, { force: true });
      },
    };
  }

  /** Returns the files that have names of finished backups, the newest first. */
  finished(): string[] {
    return this.#files(NAME).sort().reverse();
  }

  /** Removes unfinished backups whose process was killed: those that nobody has changed for `ABANDONED_MS`. */
  removeAbandoned(now: Date): void {
    for (const file of this.#files(UNFINISHED)) {
      if (now.getTime() - lstatSync(file).mtimeMs > ABANDONED_MS) rmSync(file, { force: true });
    }
  }

  /**
   * Removes the oldest backups until `keep` are left.
   * @param newest the file of the new backup, which stays whatever time its name contains.
   * @param isOurs whether a file is a backup that this program made of the same log. An error counts as no.
   * @returns the removed files.
   */
  removeOlder(newest: string, keep: number, isOurs: (file: string) => boolean): string[] {
    const others = this.finished().filter((file) => file !== newest && isSurely(isOurs, file));
    const removed = others.slice(keep - 1);
    for (const file of removed) rmSync(file);
    if (removed.length > 0) synced(this.path);
    return removed;
  }

  #files(name: RegExp): string[] {
    return readdirSync(this.path, { withFileTypes: true })
      .filter((entry) => entry.isFile() && name.test(entry.name))
      .map((entry) => join(this.path, entry.name));
  }
}

function isSurely(isOurs: (file: string) => boolean, file: string): boolean {
  try {
    return isOurs(file);
  } catch {
    return false;
  }
}

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

/** Such as `keyledger-20260105T091500.123Z.db`: the order of names is that of time. */
const NAME = /^keyledger-\d{8}T\d{6}\.\d{3}Z\.db$/;
/** A backup that is not finished, and the journal that SQLite may have beside it. */
const UNFINISHED = /^keyledger-\d{8}T\d{6}\.\d{3}Z\.db\.unfinished(-journal)?$/;
/** Nobody writes to an unfinished backup that did not change for so long. */
const ABANDONED_MS = 3_600_000;

/** A moment as it stands in names of files. */
export function stampOf(moment: Date): string {
  return moment.toISOString().replaceAll(/[-:]/g, '');
}

/** A backup that is being made. */
export interface Unfinished {
  /** Its file, empty and for its owner alone. */
  readonly path: string;
  /** Gives the backup its name. @returns its path. */
  finish(): string;
  discard(): void;
}

/** A directory with backups. It removes no file but those that it can tell for its own. */
export class BackupDirectory {
  /** @param path is made where it does not exist, for its owner alone. @throws naming it. */
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

  /** @throws where a file of so many bytes has no room. */
  requireRoom(bytes: number): void {
    const { bavail, bsize } = statfsSync(this.path);
    const free = bavail * bsize;
    if (free >= bytes) return;
    throw new Error(`the backup needs ${bytes} bytes, and ${this.path} has room for ${free}`);
  }

  /** Begins a backup. */
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

  /** The files that have names of finished backups, the newest first. */
  finished(): string[] {
    return this.#files(NAME).sort().reverse();
  }

  /** Removes what backups left that were killed. */
  removeAbandoned(now: Date): void {
    for (const file of this.#files(UNFINISHED)) {
      if (now.getTime() - lstatSync(file).mtimeMs > ABANDONED_MS) rmSync(file, { force: true });
    }
  }

  /**
   * Removes backups until `keep` are left.
   * @param newest is kept, whatever its name says of its time.
   * @param isOurs says whether this program made a file, of the same log. A fault counts as no.
   * @returns those that were removed.
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

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { type LedgerName, LEDGERS } from '../../ledgers/ledgers.js';
import { copyEmbeddedLog } from '../../../event-sourcing/event-log/copy-embedded-log.js';

/** A backup that was written and checked (docs/cli.md). */
export interface BackedUp extends Record<string, unknown> {
  readonly directory: string;
  readonly logs: readonly Readonly<Record<'name' | 'file' | 'events' | 'bytes', string | number>>[];
}

/**
 * Copies the embedded logs of a data directory into a new directory, which appears under its name
 * when it is whole. A service may run on the data directory meanwhile.
 * @throws Error when the directory exists already, its parent is missing, or the copy is damaged.
 */
export function backUp(dataDir: string, directory: string): BackedUp {
  const target = resolve(directory);
  if (existsSync(target)) throw new Error(`${target} exists already: name a new directory`);
  const above = dirname(target);
  if (!existsSync(above)) throw new Error(`${above} does not exist: create it first`);
  const unfinished = mkdtempSync(`${target}.unfinished-`);
  try {
    const copy = (name: LedgerName): BackedUp['logs'][number] => {
      const { file, events, bytes } = copyEmbeddedLog(dataDir, unfinished, LEDGERS[name].log);
      sync(file);
      return { name, file: basename(file), events, bytes };
    };
    // Usage first: the log that is copied later then has every key that a copied report names.
    const usage = copy('usage');
    const logs = [copy('management'), usage];
    sync(unfinished);
    renameSync(unfinished, target);
    sync(above);
    return { directory: target, logs };
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
}

/** Waits until a file, or the names in a directory, are on the disk. */
function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

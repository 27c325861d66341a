import { statSync } from 'node:fs';
import { copyEmbeddedLog, examineCopy, logIdOfCopy } from '../../event-log/embedded-log-file.js';
import { filesOfLog } from '../../event-log/embedded-event-log.js';
import type { LogIdentity } from '../../event-log/event-log.js';
import { messageOf } from '../../kernel/errors.js';
import { BackupDirectory } from './backup-directory.js';
import {
  type DescribedCopy,
  described,
  requireSoundCopy,
  type VerifyProgress,
} from './described-copy.js';

/** A backup that was written and verified (docs/api.md 9.4). */
export interface BackedUp extends DescribedCopy, Record<string, unknown> {
  readonly file: string;
  readonly bytes: number;
  /** Older backups that were removed. */
  readonly removed: readonly string[];
}

/**
 * Copies the embedded log of a data directory into a new file of a directory, and verifies the copy. Then removes older
 * backups of the same log. A service may run on the data directory meanwhile.
 * @param keep the number of backups that stay, the new backup included; undefined when all backups stay.
 * @throws Error when the new backup cannot be written or verified. Then no finished backup is added or removed.
 * @throws Error when an older backup cannot be removed. Then the new backup stays.
 */
export async function backUp(
  dataDir: string,
  into: string,
  keep: number | undefined,
  onProgress: VerifyProgress,
): Promise<BackedUp> {
  const directory = new BackupDirectory(into);
  const now = new Date();
  directory.removeAbandoned(now);
  directory.requireRoom(bytesOf(filesOfLog(dataDir)));
  const unfinished = directory.begin(now);
  try {
    copyEmbeddedLog(dataDir, unfinished.path);
    const copy = await examineCopy(unfinished.path, onProgress);
    const identity = requireSoundCopy(copy, `the copy of the log in ${dataDir}`);
    const file = unfinished.finish();
    const removed = keep === undefined ? [] : removedOf(directory, file, keep, identity);
    return { file, bytes: bytesOf([file]), ...described(copy, identity), removed };
  } catch (error) {
    unfinished.discard();
    throw error;
  }
}

function removedOf(
  directory: BackupDirectory,
  file: string,
  keep: number,
  identity: LogIdentity,
): string[] {
  try {
    return directory.removeOlder(file, keep, (other) => logIdOfCopy(other) === identity.id);
  } catch (cause) {
    const problem = `${file} is written and verified, but older backups cannot be removed`;
    throw new Error(`${problem}: ${messageOf(cause)}`, { cause });
  }
}

function bytesOf(files: readonly string[]): number {
  return files.reduce(
    (bytes, file) => bytes + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

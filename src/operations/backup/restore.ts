import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  becomeEmbeddedLog,
  eventsLacking,
  type ExaminedCopy,
  examineCopy,
  logIdOfCopy,
} from '../../event-log/embedded-log-file.js';
import { embeddedLogFile, filesOfLog } from '../../event-log/embedded-event-log.js';
import type { LogIdentity } from '../../event-log/event-log.js';
import { messageOf, Unavailable } from '../../kernel/errors.js';
import { identityOf } from '../../projections/log-identity.js';
import { type SeenLog, seenLog } from '../../projections/seen-log.js';
import { openReadStore, type ReadStorePlace } from '../../read-store/open-read-store.js';
import { BackupDirectory, stampOf } from './backup-directory.js';
import {
  type DescribedCopy,
  described,
  requireSoundCopy,
  type VerifyProgress,
} from './described-copy.js';
import { synced } from './synced.js';

/** A log that was restored from a backup (docs/api.md 9.5). */
export interface Restored extends DescribedCopy {
  readonly file: string;
  /** The number of events that the old read models had folded and that the backup lacks; null if unknown. */
  readonly lost_events: number | null;
  /** The path to which the old read models were moved; null without old read models, and when they are on a server. */
  readonly read_models_before: string | null;
}

/** Returns `path`, or the newest backup in `path`. @throws when there is no backup, and for backups of several logs. */
export function backupIn(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new Error(`there is no backup ${path}`);
  if (!found.isDirectory()) return path;
  const [newest, ...older] = new BackupDirectory(path).finished();
  if (newest === undefined) throw new Error(`there is no backup in ${path}`);
  const log = logIdOfCopy(newest);
  if (older.every((file) => logIdOfCopy(file) === log)) return newest;
  throw new Error(`${path} has backups of several logs: name the file`);
}

/** @throws when a data directory has a log or a part of a log, because a restore never overwrites anything. */
export function requireNoLog(dataDir: string): void {
  const found = filesOfLog(dataDir).filter((file) => existsSync(file));
  if (found.length === 0) return;
  throw new Error(
    `a restore never overwrites a log: ${found.join(' and ')} ${found.length === 1 ? 'is' : 'are'} there; ` +
      'move what is there to another directory first',
  );
}

/**
 * Restores a log: verifies a copy of the backup, moves the copy to the place of the log, and sets the old read models
 * aside. The data directory must be locked. A restore that ends before the move has changed nothing.
 * @throws when the backup is damaged or empty, or when there is a log already.
 */
export async function restoreLog(
  file: string,
  place: ReadStorePlace,
  onProgress: VerifyProgress,
): Promise<Restored> {
  const { dataDir, mongodbUri } = place;
  requireNoLog(dataDir);
  const log = embeddedLogFile(dataDir);
  const restoring = `${log}.restoring`;
  try {
    takeCopy(file, restoring);
    const copy = await examineCopy(restoring, onProgress);
    const identity = requireSoundCopy(copy, `the backup ${file}`);
    const lost = await lostEvents(restoring, identity, place);
    synced(restoring);
    renameSync(restoring, log);
    synced(dataDir);
    const before = mongodbUri === undefined ? setAside(dataDir) : null;
    return answer(file, copy, identity, lost, before);
  } finally {
    removeAll(restoring);
  }
}

function answer(
  file: string,
  copy: ExaminedCopy,
  identity: LogIdentity,
  lost_events: number | null,
  read_models_before: string | null,
): Restored {
  return { file, ...described(copy, identity), lost_events, read_models_before };
}

/** Copies a file, and the write-ahead log beside it if there is one, into one file. */
function takeCopy(file: string, target: string): void {
  removeAll(target);
  try {
    for (const ending of ['', '-wal']) {
      if (ending !== '' && !existsSync(file + ending)) continue;
      copyFileSync(file + ending, target + ending, constants.COPYFILE_EXCL);
      chmodSync(target + ending, 0o600);
    }
    becomeEmbeddedLog(target);
  } catch (cause) {
    throw new Error(`the backup ${file} cannot be copied: ${messageOf(cause)}`, { cause });
  }
}

function removeAll(file: string): void {
  for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(file + ending, { force: true });
}

/** Counts the events that the old read models had folded and that the backup lacks; null when the number is unknown. */
async function lostEvents(
  copy: string,
  identity: LogIdentity,
  place: ReadStorePlace,
): Promise<number | null> {
  const seen = await seenBefore(place);
  if (seen === null || seen.identity !== identityOf(identity)) return null;
  return eventsLacking(copy, seen.position);
}

/** Returns how far the old read models had folded the log; null when there are none, and when they are damaged. */
async function seenBefore(place: ReadStorePlace): Promise<SeenLog | null> {
  const isEmbedded = place.mongodbUri === undefined;
  if (isEmbedded && !existsSync(readModelsIn(place.dataDir))) return null;
  const store = await openReadStore(place);
  try {
    return await seenLog(store);
  } catch (error) {
    if (!isEmbedded && error instanceof Unavailable) throw error;
    return null;
  } finally {
    await store.close();
  }
}

function setAside(dataDir: string): string | null {
  const readModels = readModelsIn(dataDir);
  if (!existsSync(readModels)) return null;
  const aside = `${readModels}.before-${stampOf(new Date())}`;
  renameSync(readModels, aside);
  synced(dataDir);
  return aside;
}

function readModelsIn(dataDir: string): string {
  return join(dataDir, 'read-models');
}

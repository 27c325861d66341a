import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { messageOf } from '../kernel/errors.js';
import { FilesInPlace } from '../sqlite/files-in-place.js';
import type { EventLog } from './event-log.js';
import type { Checkpoints } from './sqlite/checkpoints.js';
import type { MigrationObserver } from './sqlite/schema.js';
import { serveWalCheckpointer } from './sqlite/serve-wal-checkpointer.js';
import { SqliteEventLog } from './sqlite/sqlite-event-log.js';
import {
  type WalCheckpointThread,
  CheckpointedWal,
  type WriteAheadObserver,
} from './sqlite/checkpointed-wal.js';

const FILE = 'events.db';

/** The file of the embedded log in a data directory. */
export function embeddedLogFile(dataDir: string): string {
  return join(dataDir, FILE);
}

/** Whether a data directory has an event log. @throws when that cannot be seen. */
export function hasEmbeddedLog(dataDir: string): boolean {
  const file = embeddedLogFile(dataDir);
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    throw new Error(`the event log ${file} cannot be looked for: ${messageOf(cause)}`, { cause });
  }
}

/** The write-ahead log holds the last commits until a checkpoint. Without it they are lost. */
function writeAheadOf(file: string): string {
  return `${file}-wal`;
}

/** The files of the event log of a data directory without which a write would be lost. */
export function filesOfLog(dataDir: string): readonly string[] {
  const file = embeddedLogFile(dataDir);
  return [file, writeAheadOf(file)];
}

/** Learns what an operator should know of the embedded log. */
export interface EmbeddedLogObserver {
  /** The disk fails, and the outcome of an append stays unknown. Called before any answer. */
  unsettled(fault: unknown): void;
  /** One of its files, or the lock, was removed or replaced: no append is taken from here on. Called once. */
  lost(problem: string): void;
  /** The log was made by an earlier release, and gets other indexes. */
  readonly migration?: MigrationObserver;
}

const NOBODY: EmbeddedLogObserver = { unsettled: () => undefined, lost: () => undefined };

/**
 * Opens the event log in a data directory, and makes both where they do not exist.
 * @param guards files besides its own that must stay in place while the log is written.
 * @throws naming the file.
 */
export function openEmbeddedLog(
  dataDir: string,
  checkpoints: Checkpoints,
  observer: EmbeddedLogObserver = NOBODY,
  guards: readonly string[] = [],
): EventLog {
  const file = embeddedLogFile(dataDir);
  const writeAhead = writeAheadOf(file);
  if (!existsSync(file) && existsSync(writeAhead)) {
    throw new Error(
      `the event log ${file} is not there, but ${writeAhead}, with what was written to it last, is: restore both together`,
    );
  }
  const watched = [...filesOfLog(dataDir), ...guards];
  const files = new FilesInPlace(watched, (problem) => observer.lost(problem));
  try {
    mkdirSync(dataDir, { recursive: true });
    return new SqliteEventLog(file, checkpoints, observer, files);
  } catch (cause) {
    throw new Error(`the event log ${file} cannot be opened: ${String(cause)}`, { cause });
  }
}

/**
 * The write-ahead log in a data directory, and the thread that checkpoints it.
 * @param begin begins the thread; absent: commits checkpoint.
 */
export function embeddedWriteAhead(
  dataDir: string,
  begin: (() => WalCheckpointThread) | undefined,
  observer: WriteAheadObserver,
): CheckpointedWal {
  return new CheckpointedWal(embeddedLogFile(dataDir), begin, observer);
}

/** Checkpoints the log in a data directory until a message on `port` says stop. */
export function checkpointEmbeddedLog(port: MessagePort, dataDir: string): Promise<void> {
  return serveWalCheckpointer(port, embeddedLogFile(dataDir));
}

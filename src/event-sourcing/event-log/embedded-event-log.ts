import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { messageOf } from '../../kernel/errors.js';
import type { EventLog } from './event-log.js';
import { serveWalCheckpointer } from './sqlite/serve-wal-checkpointer.js';
import { type Checkpoints, SqliteEventLog } from './sqlite/sqlite-event-log.js';
import {
  type WalCheckpointThread,
  CheckpointedWal,
  type WriteAheadObserver,
} from './sqlite/checkpointed-wal.js';

const FILE = 'events.db';

/** Returns the path of the embedded log's database in a data directory. */
export function embeddedLogFile(dataDir: string): string {
  return join(dataDir, FILE);
}

/** Whether a data directory has an event log. @throws an Error when the file system reports a fault. */
export function hasEmbeddedLog(dataDir: string): boolean {
  const file = embeddedLogFile(dataDir);
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    throw new Error(`the event log ${file} cannot be looked for: ${messageOf(cause)}`, { cause });
  }
}

/** An observer that is told what an operator should know about the embedded log. */
export interface EmbeddedLogObserver {
  /** Called when the disk fails and the outcome of an append stays unknown, before the append is answered. */
  unsettled(fault: unknown): void;
}

const NOBODY: EmbeddedLogObserver = { unsettled: () => undefined };

/**
 * Opens the event log in a data directory. It creates the directory and the log if they do not exist.
 * @throws an Error that names the file.
 */
export function openEmbeddedLog(
  dataDir: string,
  checkpoints: Checkpoints,
  observer: EmbeddedLogObserver = NOBODY,
): EventLog {
  const file = embeddedLogFile(dataDir);
  const writeAhead = `${file}-wal`;
  if (!existsSync(file) && existsSync(writeAhead)) {
    throw new Error(
      `the event log ${file} is not there, but ${writeAhead}, with what was written to it last, is: restore both together`,
    );
  }
  try {
    mkdirSync(dataDir, { recursive: true });
    return new SqliteEventLog(file, checkpoints, observer);
  } catch (cause) {
    throw new Error(`the event log ${file} cannot be opened: ${String(cause)}`, { cause });
  }
}

/**
 * Returns the write-ahead log in a data directory, with the thread that checkpoints it.
 * @param begin starts the thread. Without `begin`, commits checkpoint the log.
 */
export function embeddedWriteAhead(
  dataDir: string,
  begin: (() => WalCheckpointThread) | undefined,
  observer: WriteAheadObserver,
): CheckpointedWal {
  return new CheckpointedWal(embeddedLogFile(dataDir), begin, observer);
}

/** Checkpoints the write-ahead log in `dataDir` until the message `stop` arrives on `port`. */
export function checkpointEmbeddedLog(port: MessagePort, dataDir: string): Promise<void> {
  return serveWalCheckpointer(port, embeddedLogFile(dataDir));
}

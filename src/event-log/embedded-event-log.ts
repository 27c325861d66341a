import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { messageOf } from '../kernel/errors.js';
import { FilesInPlace } from '../sqlite/files-in-place.js';
import type { EventLog } from './event-log.js';
import type { Role } from './sqlite/role.js';
import type { MigrationObserver } from './sqlite/schema.js';
import { serveTakeOver } from './sqlite/serve-take-over.js';
import { SqliteEventLog } from './sqlite/sqlite-event-log.js';
import { type TakeOverThread, WriteAhead, type WriteAheadObserver } from './sqlite/write-ahead.js';

const FILE = 'events.db';

/** Whether a data directory has an event log. @throws when that cannot be seen. */
export function hasEmbeddedLog(dataDir: string): boolean {
  const file = join(dataDir, FILE);
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    throw new Error(`the event log ${file} cannot be looked for: ${messageOf(cause)}`, { cause });
  }
}

/** What SQLite has not yet folded into the log itself: without it, what was answered last is gone. */
function writeAheadOf(file: string): string {
  return `${file}-wal`;
}

/** The files of the event log of a data directory without which a write would be lost. */
export function filesOfLog(dataDir: string): readonly string[] {
  const file = join(dataDir, FILE);
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
 * The event log in a data directory, both made when they do not exist.
 * @param guards files besides its own that must stay where they are while it is written.
 * @throws naming the file.
 */
export function openEmbeddedLog(
  dataDir: string,
  role: Role,
  observer: EmbeddedLogObserver = NOBODY,
  guards: readonly string[] = [],
): EventLog {
  const file = join(dataDir, FILE);
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
    return new SqliteEventLog(file, role, observer, files);
  } catch (cause) {
    throw new Error(`the event log ${file} cannot be opened: ${String(cause)}`, { cause });
  }
}

/**
 * What keeps the log in a data directory one file.
 * @param begin begins the thread that does; absent: commits do.
 */
export function embeddedWriteAhead(
  dataDir: string,
  begin: (() => TakeOverThread) | undefined,
  observer: WriteAheadObserver,
): WriteAhead {
  return new WriteAhead(join(dataDir, FILE), begin, observer);
}

/** Keeps the log in a data directory one file, until `port` brings a message, which says stop. */
export function takeOverEmbeddedLog(port: MessagePort, dataDir: string): Promise<void> {
  return serveTakeOver(port, join(dataDir, FILE));
}

import { messageOf } from '../kernel/errors.js';
import type { Position } from '../kernel/position.js';
import { embeddedLogFile } from './embedded-event-log.js';
import type { LogIdentity } from './event-log.js';
import { type LogVerified, verified } from './log-verification.js';
import { isMarkedCopy, markCopy, unmarkCopy } from './sqlite/copy-mark.js';
import { LogFile } from './sqlite/log-file.js';

/** A copy of an embedded log, as it was found. */
export interface ExaminedCopy {
  readonly verified: LogVerified;
  /** The first event, by which a log is told from every other; null while the log is empty. */
  readonly identity: LogIdentity | null;
  readonly head: Position;
  /** When the last event happened; null while the log is empty. */
  readonly headOccurredAt: string | null;
}

/**
 * Copies the embedded log of a data directory into one file, beside a running service, and marks the copy.
 * @param target an empty file.
 * @throws naming the log.
 */
export function copyEmbeddedLog(dataDir: string, target: string): void {
  const file = embeddedLogFile(dataDir);
  try {
    reading(file, (log) => log.copyInto(target));
    markCopy(target);
  } catch (cause) {
    throw new Error(`the event log ${file} cannot be copied: ${messageOf(cause)}`, { cause });
  }
}

/** Makes one file without a mark of a copy, and of its write-ahead log where that lies beside it. */
export function becomeEmbeddedLog(file: string): void {
  unmarkCopy(file);
}

/** The id of the first event of a copy that `copyEmbeddedLog` made; undefined for any other file. */
export function logIdOfCopy(file: string): string | undefined {
  return isMarkedCopy(file) ? reading(file, (log) => log.identity()?.id) : undefined;
}

/**
 * Reads a whole copy: its pages, its gaps, and the hash of each event.
 * @param onProgress is called with how much is read, of 1, and the number of events.
 * @throws when the file cannot be read as an event log.
 */
export async function examineCopy(
  file: string,
  onProgress: (share: number, events: number) => void,
): Promise<ExaminedCopy> {
  const log = new LogFile(file);
  try {
    const found = await verified(log, log.damage(), (events, reached) => {
      onProgress(log.shareUpTo(reached), events);
    });
    return {
      verified: found,
      identity: log.identity(),
      head: log.head(),
      headOccurredAt: log.headOccurredAt(),
    };
  } finally {
    log.close();
  }
}

/**
 * How many events a copy lacks up to a position that the log gave. Null where another event stands there: the position is of
 * another log, or of this one after another restore.
 */
export function eventsLacking(file: string, position: Position): number | null {
  return reading(file, (log) => log.lacks(position));
}

/** The faults of the embedded log of a data directory, in words; empty where there are none. */
export function damageOfEmbeddedLog(dataDir: string): readonly string[] {
  return reading(embeddedLogFile(dataDir), (log) => log.damage());
}

/** How many of the last events a quick look compares with their hashes. */
const QUICK_EVENTS = 1_000;

/** The findings of a quick look at a log. */
export interface QuickLook {
  readonly events: number;
  readonly damage: readonly string[];
  /** Those of the last 1,000 events that do not match their hashes. */
  readonly mismatches: number;
  readonly isOutdated: boolean;
}

/** Looks at the embedded log of a data directory in some seconds. @throws when it cannot be read as an event log. */
export async function lookAtEmbeddedLog(dataDir: string): Promise<QuickLook> {
  const log = new LogFile(embeddedLogFile(dataDir));
  try {
    const last = { readAll: () => log.readLast(QUICK_EVENTS) };
    const { mismatches, damage } = await verified(last, log.damage('quick'), () => undefined);
    return { events: log.length, damage, mismatches, isOutdated: log.isOutdated };
  } finally {
    log.close();
  }
}

function reading<Result>(file: string, read: (log: LogFile) => Result): Result {
  const log = new LogFile(file);
  try {
    return read(log);
  } finally {
    log.close();
  }
}

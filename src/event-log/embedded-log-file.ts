import { messageOf } from '../kernel/errors.js';
import type { Position } from '../kernel/position.js';
import { embeddedLogFile } from './embedded-event-log.js';
import type { LogIdentity } from './event-log.js';
import { type LogVerified, verified } from './log-verification.js';
import { isMarkedCopy, markCopy, unmarkCopy } from './sqlite/copy-mark.js';
import { LogFile } from './sqlite/log-file.js';

/** The findings about a copy of an embedded log. */
export interface ExaminedCopy {
  readonly verified: LogVerified;
  /** The first event, which no other log has; null when the copy is empty. */
  readonly identity: LogIdentity | null;
  readonly head: Position;
  /** When the last event happened; null when the copy is empty. */
  readonly headOccurredAt: string | null;
}

/**
 * Copies the embedded log of a data directory into one file, and marks the file as a copy. A service may run meanwhile.
 * @param target an empty file.
 * @throws an Error that names the log.
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

/** Turns a copy into a log: removes its mark, and merges a write-ahead log beside the file into the file. */
export function becomeEmbeddedLog(file: string): void {
  unmarkCopy(file);
}

/** Returns the id of the first event of a copy that `copyEmbeddedLog` made; undefined for any other file. */
export function logIdOfCopy(file: string): string | undefined {
  return isMarkedCopy(file) ? reading(file, (log) => log.identity()?.id) : undefined;
}

/**
 * Reads a whole copy: checks its pages, looks for missing events, and compares each event with its hash.
 * @param onProgress is called with the share of the copy that was read, from 0 to 1, and the number of events.
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
 * Returns how many of the events up to a position a copy lacks. Returns null when the copy has another event in the
 * same place, because the position then belongs to another log, or to this log after another restore.
 */
export function eventsLacking(file: string, position: Position): number | null {
  return reading(file, (log) => log.lacks(position));
}

/** Returns the faults of the embedded log in a data directory, in words; empty when there are none. */
export function damageOfEmbeddedLog(dataDir: string): readonly string[] {
  return reading(embeddedLogFile(dataDir), (log) => log.damage());
}

/** The number of events at the end of the log that a quick look compares with their hashes. */
const QUICK_EVENTS = 1_000;

/** The findings of a quick look at a log. */
export interface QuickLook {
  readonly events: number;
  readonly damage: readonly string[];
  /** How many of the last 1,000 events do not match their hashes. */
  readonly mismatches: number;
  readonly isOutdated: boolean;
}

/** Checks the embedded log of a data directory within seconds. @throws when the file cannot be read as an event log. */
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

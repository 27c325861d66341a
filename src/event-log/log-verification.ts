import { START } from '../kernel/position.js';
import { checkHash } from './event-hash.js';
import type { EventLog, RecordedEvent } from './event-log.js';

/** The fields by which an event that does not match its hash can be found. */
export type Mismatch = Pick<
  RecordedEvent,
  'id' | 'type' | 'version' | 'stream' | 'revision' | 'position'
>;

/** A callback that receives the number of events and the position read so far. */
export type Progress = (events: number, reached: string) => void;

export interface LogVerified {
  readonly events: number;
  readonly with_hash: number;
  /** The number of events without a hash, which earlier releases wrote. */
  readonly without_hash: number;
  readonly mismatches: number;
  readonly first_mismatch: Mismatch | null;
  /** The faults of the log's file, in words. Empty for a log server, which looks after its own files. */
  readonly damage: readonly string[];
}

export function isSound({ mismatches, damage }: LogVerified): boolean {
  return mismatches === 0 && damage.length === 0;
}

/** Compares every event of the log with its hash, and looks for damage of the log's file. */
export class LogVerification {
  /** @param damage returns the faults of the log's file, in words. */
  constructor(
    private readonly log: EventLog,
    private readonly damage: () => readonly string[],
  ) {}

  /** Reads the whole log and changes nothing. */
  verify(onProgress: Progress): Promise<LogVerified> {
    return verified(this.log, this.damage(), onProgress);
  }

  /** Returns the share of the log up to a position, from 0 to 1. */
  async shareUpTo(position: string): Promise<number> {
    const { passed, ahead } = await this.log.place(position);
    return passed / Math.max(1, passed + ahead);
  }
}

/**
 * Compares the events of a log with their hashes. A hash without a key reveals damage, but does not prove that nobody
 * changed an event.
 * @param damage the faults of the log's file. If there are any, the counts cover only the events that can be read.
 * @throws when a log without faults cannot be read.
 */
export async function verified(
  log: Pick<EventLog, 'readAll'>,
  damage: readonly string[],
  onProgress: Progress,
): Promise<LogVerified> {
  const counts = { right: 0, absent: 0, wrong: 0 };
  let first: Mismatch | null = null;
  let before = START;
  try {
    for await (const { events, reached } of log.readAll(START)) {
      // Broken pages may lead back to events that were read.
      if (reached <= before) throw new Error(`the log leads from ${before} back to ${reached}`);
      before = reached;
      for (const event of events) {
        const check = checkHash(event);
        counts[check] += 1;
        if (check === 'wrong') first ??= placeOf(event);
      }
      onProgress(counts.right + counts.absent + counts.wrong, reached);
    }
  } catch (error) {
    if (damage.length === 0) throw error;
  }
  return {
    events: counts.right + counts.absent + counts.wrong,
    with_hash: counts.right + counts.wrong,
    without_hash: counts.absent,
    mismatches: counts.wrong,
    first_mismatch: first,
    damage,
  };
}

function placeOf({ id, type, version, stream, revision, position }: RecordedEvent): Mismatch {
  return { id, type, version, stream, revision, position };
}

import { START } from '../kernel/position.js';
import { checkHash } from './event-hash.js';
import type { EventLog, RecordedEvent } from './event-log.js';

/** An event that is not what was written, by the places at which it can be found. */
export type Mismatch = Pick<
  RecordedEvent,
  'id' | 'type' | 'version' | 'stream' | 'revision' | 'position'
>;

export interface LogVerified {
  readonly events: number;
  readonly with_hash: number;
  /** Earlier releases wrote them. */
  readonly without_hash: number;
  readonly mismatches: number;
  readonly first_mismatch: Mismatch | null;
}

/** Compares every event of the log with its hash. */
export class LogVerification {
  constructor(private readonly log: EventLog) {}

  /**
   * Reads the whole log and changes nothing. An unkeyed hash shows damage; it does not show that nobody changed an event.
   * @param onProgress called with the number of events and the position read so far.
   */
  async verify(onProgress: (events: number, reached: string) => void): Promise<LogVerified> {
    const counts = { right: 0, absent: 0, wrong: 0 };
    let first: Mismatch | null = null;
    for await (const { events, reached } of this.log.readAll(START)) {
      for (const event of events) {
        const check = checkHash(event);
        counts[check] += 1;
        if (check === 'wrong') first ??= placeOf(event);
      }
      onProgress(counts.right + counts.absent + counts.wrong, reached);
    }
    return {
      events: counts.right + counts.absent + counts.wrong,
      with_hash: counts.right + counts.wrong,
      without_hash: counts.absent,
      mismatches: counts.wrong,
      first_mismatch: first,
    };
  }

  /** How much of the log lies up to a position, of 1. */
  async shareUpTo(position: string): Promise<number> {
    const { passed, ahead } = await this.log.place(position);
    return passed / Math.max(1, passed + ahead);
  }
}

function placeOf({ id, type, version, stream, revision, position }: RecordedEvent): Mismatch {
  return { id, type, version, stream, revision, position };
}

import type { ExaminedCopy } from '../../event-log/embedded-log-file.js';
import type { LogIdentity } from '../../event-log/event-log.js';
import { isSound } from '../../event-log/log-verification.js';

/** A callback that receives the verified share of a copy, from 0 to 1, and the number of verified events. */
export type VerifyProgress = (share: number, events: number) => void;

/** The description of a copy of a log for an operator. */
export interface DescribedCopy {
  readonly events: number;
  readonly with_hash: number;
  readonly without_hash: number;
  /** The id of the first event, which no other log has. */
  readonly log_id: string;
  /** The position of the last event. */
  readonly head: string;
  /** The time of the last event. */
  readonly head_occurred_at: string | null;
}

/**
 * Returns the first event of a copy, which identifies the log.
 * @param what the name of the copy for the message of an error.
 * @throws Error that says what is wrong, when the copy is empty or damaged.
 */
export function requireSoundCopy({ verified, identity }: ExaminedCopy, what: string): LogIdentity {
  if (!isSound(verified)) {
    const { damage, mismatches, first_mismatch: first } = verified;
    const hashes =
      first === null
        ? []
        : [
            `${mismatches} events do not match their hashes, the first at position ${first.position}`,
          ];
    throw new Error(`${what} is damaged: ${[...damage, ...hashes].join('; ')}`);
  }
  if (identity === null) throw new Error(`${what} is empty`);
  return identity;
}

export function described(
  { verified, head, headOccurredAt }: ExaminedCopy,
  { id }: LogIdentity,
): DescribedCopy {
  const { events, with_hash, without_hash } = verified;
  return { events, with_hash, without_hash, log_id: id, head, head_occurred_at: headOccurredAt };
}

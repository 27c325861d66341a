import type { WhilePresent } from '../../../event-sourcing/waiting/presence.js';
import type { NanoUsd } from '../../../kernel/usd.js';
import type { Limited, Subject } from '../domain/limit.js';

/** Is told of limits that were changed, so that events are about the limit that is known last. */
export interface LimitChanges {
  limitChanged(subject: Subject, change: Partial<Limited>): void;

  /**
   * The limit of end users who have none of their own.
   * @param holdsFor whether it holds for an end user; undefined if that is not known.
   */
  commonLimitChanged(
    accountId: string,
    change: Partial<Limited>,
    holdsFor: (subject: Subject) => boolean | undefined,
  ): void;
}

/** The spending toward limits, as a decision needs it. */
export interface SpentTowardLimits {
  /** The time since the last check of the log of usage. */
  readonly ageMs: number;
  readonly limits: LimitChanges;

  /**
   * Returns the spending of a subject toward a limit in the window of `now`; 0 without a limit.
   * @param id what events call the subject, by default as it is named. For an end user the tracking
   * ID, or null for one who is not registered, whose limit causes no event when it is reached.
   * @param whilePresent for a read that waits. Default: the caller does not leave.
   * @param since the moment, by `performance.now()`, before which all that was stored counts.
   * @throws Unavailable when what is known may be too old; Unreadable when the account is parked.
   */
  spentBy(
    accountId: string,
    subject: Subject,
    limited: Limited,
    now: Date,
    since: number,
    id?: string | null,
    whilePresent?: WhilePresent,
  ): Promise<NanoUsd>;
}

export const SPENT_TOWARD_LIMITS = Symbol('SpentTowardLimits');

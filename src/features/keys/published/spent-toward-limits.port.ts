import type { NanoUsd } from '../../../kernel/usd.js';
import type { Limited, Subject } from '../domain/limit.js';

/** The spending toward limits, as a decision needs it. */
export interface SpentTowardLimits {
  /** The time since the last check of the log of usage. */
  readonly ageMs: number;

  /**
   * Returns the spending of a subject toward a limit in the window of `now`; 0 without a limit.
   * @param user of an end user: the tracking ID, or null for one who is not registered, whose limit
   * causes no event when it is reached.
   * @param since the moment, by `performance.now()`, before which all that was stored counts.
   * @throws Unavailable when what is known may be too old; Unreadable when the account is parked.
   */
  spentBy(
    accountId: string,
    subject: Subject,
    limited: Limited,
    now: Date,
    since: number,
    user?: string | null,
  ): Promise<NanoUsd>;

  /** Says that a limit was changed, so that events are about the limit that is known last. */
  limitChanged(subject: Subject, change: Partial<Limited>): void;

  /**
   * Says the same of the limit of end users who have none of their own; null for none.
   * @param holdsFor whether it holds for an end user; undefined if that is not known.
   */
  commonLimitChanged(
    accountId: string,
    limited: Limited | null,
    holdsFor: (subject: Subject) => boolean | undefined,
  ): void;
}

export const SPENT_TOWARD_LIMITS = Symbol('SpentTowardLimits');

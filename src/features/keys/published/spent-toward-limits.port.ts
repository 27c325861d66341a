import type { NanoUsd } from '../../../kernel/usd.js';
import type { Key } from '../domain/key.js';
import type { Limited } from '../domain/limit.js';

export type LimitedKey = Limited & Pick<Key, 'hash' | 'account_id'>;

/** The spending toward the limits of keys, as a decision needs it. */
export interface SpentTowardLimits {
  /** The time since the last check of the log of usage. */
  readonly ageMs: number;

  /**
   * Returns the spending toward a key's limit in the window of `now`; 0 without a limit.
   * @param since the moment, by `performance.now()`, before which all that was stored counts.
   * @throws Unavailable when what is known may be too old; Unreadable when the account is parked.
   */
  spentBy(key: LimitedKey, now: Date, since: number): Promise<NanoUsd>;
}

export const SPENT_TOWARD_LIMITS = Symbol('SpentTowardLimits');

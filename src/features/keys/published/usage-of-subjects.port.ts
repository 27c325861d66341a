import type { Read } from '../../../kernel/read.js';
import type { Subject, UsageByWindow } from '../domain/limit.js';

export interface UsageTotals extends UsageByWindow {
  /** Null for what is no key. */
  readonly lastUsedAt: string | null;
}

export interface UsageOfSubjects {
  /**
   * Returns the use of subjects of an account at `now`. One that was never used is left out. Waits,
   * with a time-out, for all reports that were answered before the call.
   * @throws Unreadable for a parked account; Unavailable when the read store cannot be reached.
   */
  totalsOf(
    accountId: string,
    subjects: readonly Subject[],
    now: Date,
  ): Promise<Read<ReadonlyMap<Subject, UsageTotals>>>;
}

export const USAGE_OF_SUBJECTS = Symbol('UsageOfSubjects');

import type { Read } from '../../../kernel/read.js';
import type { UsageByWindow } from '../domain/limit.js';

export interface KeyTotals extends UsageByWindow {
  readonly lastUsedAt: string;
}

export interface UsageOfKeys {
  /**
   * Returns the use of keys at `now`, by hash. A key that was never used is left out. Waits, with a
   * time-out, for all reports that were answered before the call.
   * @throws Unreadable for a parked account; Unavailable when the read store cannot be reached.
   */
  totalsOf(
    accountId: string,
    hashes: readonly string[],
    now: Date,
  ): Promise<Read<ReadonlyMap<string, KeyTotals>>>;
}

export const USAGE_OF_KEYS = Symbol('UsageOfKeys');

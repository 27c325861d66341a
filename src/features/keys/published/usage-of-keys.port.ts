import type { Read } from '../../../kernel/read.js';
import type { Usage } from '../domain/limit.js';

export interface KeyUse extends Usage {
  readonly lastUsedAt: string;
}

export interface KeyUses {
  /**
   * Returns the use of keys at `now`, by hash. A key that was never used is left out. Waits, with a time-out, for all
   * reports that were answered before the call.
   * @throws Unreadable when the account is parked; Unavailable when the read store cannot be reached.
   */
  usesOf(
    accountId: string,
    hashes: readonly string[],
    now: Date,
  ): Promise<Read<ReadonlyMap<string, KeyUse>>>;
}

export const KEY_USES = Symbol('KeyUses');

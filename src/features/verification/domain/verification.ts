import type { Big } from 'big.js';
import type { AccountKind } from '../../../kernel/account-kind.js';
import type { LimitReset } from '../../../kernel/limit-reset.js';
import { hasCome } from '../../../kernel/utc-timestamp.js';
import { type NanoUsd, numberUsd } from '../../../kernel/usd.js';
import type { Key } from '../../keys/domain/key.js';
import { liveString, type WithStrings } from '../../keys/domain/key-strings.js';
import { exactLimitRemaining, resetsAt, type SubjectKind } from '../../keys/domain/limit.js';

/** All codes of verifications, in the order of the checks. The first that applies is returned. */
export const VERIFICATION_CODES = [
  'MALFORMED',
  'NOT_FOUND',
  'ROTATED',
  'DISABLED',
  'EXPIRED',
  'WRONG_WORKSPACE',
  'LIMIT_EXCEEDED',
  'VALID',
] as const;

export type VerificationCode = (typeof VERIFICATION_CODES)[number];

/** The fields of a key that a verification needs. Disabled if its workspace was deleted. */
export type VerifiedKey = WithStrings & Pick<Key, 'disabled' | 'expires_at' | 'workspace_id'>;

/** A limit that applies to a use of a key, and the spending in the window that contains `now`. */
export interface AskedLimit {
  readonly scope: SubjectKind;
  readonly limit: number;
  readonly limit_reset: LimitReset | null;
  readonly spent: NanoUsd;
  /** In USD, exactly; never below 0. */
  readonly remaining: Big;
}

export function askedLimit({
  scope,
  limit,
  limit_reset,
  spent,
}: Omit<AskedLimit, 'remaining'>): AskedLimit {
  return { scope, limit, limit_reset, spent, remaining: exactLimitRemaining(limit, spent) };
}

/**
 * Decides whether a key may be used at `now`. No other function decides this.
 * @param key `malformed` for a string that is no key string; null for a key that the account does
 * not have.
 * @param stringHash the hash of the string that was presented.
 * @param asked the limits that apply, in the order of their scopes, up to the first exceeded one.
 * @param workspaceId the workspace that the key must be in; undefined for any workspace.
 */
export function verify(
  key: VerifiedKey | 'malformed' | null,
  stringHash: string,
  asked: readonly AskedLimit[],
  now: Date,
  workspaceId?: string,
): VerificationCode {
  if (key === 'malformed') return 'MALFORMED';
  if (key === null) return 'NOT_FOUND';
  if (!liveString(key, stringHash, now)) return 'ROTATED';
  if (key.disabled) return 'DISABLED';
  if (hasCome(key.expires_at, now)) return 'EXPIRED';
  if (workspaceId !== undefined && workspaceId !== key.workspace_id) return 'WRONG_WORKSPACE';
  if (asked.some(isUsedUp)) return 'LIMIT_EXCEEDED';
  return 'VALID';
}

/** Whether nothing is left of a limit. No limit is asked about after one that is used up. */
export function isUsedUp({ remaining }: AskedLimit): boolean {
  return remaining.eq(0);
}

/** Returns the first limit that is used up; null when none is. */
export function exceededLimit(asked: readonly AskedLimit[], now: Date) {
  const exceeded = asked.find(isUsedUp);
  if (!exceeded) return null;
  const { scope, limit, limit_reset, spent } = exceeded;
  return {
    scope,
    interval: limit_reset ?? 'lifetime',
    limit,
    usage: numberUsd(spent),
    resets_at: resetsAt(limit_reset, now),
  };
}

/** Returns what remains of the limit of which least remains, exactly; null without a limit. */
export function leastRemaining(asked: readonly AskedLimit[]): Big | null {
  let least: Big | null = null;
  for (const { remaining } of asked) {
    if (!least || remaining.lt(least)) least = remaining;
  }
  return least;
}

/**
 * Returns the end user who uses a key: the one whom the key was made for, whoever is named.
 * @param named the user whom the question names, if it does.
 */
export function endUserOf(
  { external_user }: Pick<Key, 'external_user'>,
  accountKind: AccountKind,
  named?: string,
): string | null {
  return accountKind === 'organization' ? (external_user ?? named ?? null) : null;
}

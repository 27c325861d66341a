import { startOfDay } from '../../../kernel/day.js';
import { hasCome } from '../../../kernel/utc-timestamp.js';
import { type NanoUsd, numberUsd } from '../../../kernel/usd.js';
import type { Key, LimitReset } from '../../keys/domain/key.js';
import { isLiveString, type WithStrings } from '../../keys/domain/key-strings.js';
import { isExceeded, type Limited, windowOf } from '../../keys/domain/limit.js';

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
export type VerifiedKey = Limited &
  WithStrings &
  Pick<Key, 'disabled' | 'expires_at' | 'workspace_id'>;

export interface ExceededLimit {
  readonly interval: LimitReset | 'lifetime';
  readonly limit: number;
  readonly usage: number;
  /** The end of the window in ISO 8601 UTC; null when the limit never resets. */
  readonly resets_at: string | null;
}

/**
 * Decides whether a key may be used at `now`. No other function decides this.
 * @param key `malformed` for a string that is no key string; null for a key that the account does
 * not have.
 * @param stringHash the hash of the string that was presented.
 * @param spent the spending toward the limit of the key in the window that contains `now`.
 * @param workspaceId the workspace that the key must be in; undefined for any workspace.
 */
export function verify(
  key: VerifiedKey | 'malformed' | null,
  stringHash: string,
  spent: NanoUsd,
  now: Date,
  workspaceId?: string,
): VerificationCode {
  if (key === 'malformed') return 'MALFORMED';
  if (key === null) return 'NOT_FOUND';
  if (!isLiveString(key, stringHash, now)) return 'ROTATED';
  if (key.disabled) return 'DISABLED';
  if (hasCome(key.expires_at, now)) return 'EXPIRED';
  if (workspaceId !== undefined && workspaceId !== key.workspace_id) return 'WRONG_WORKSPACE';
  if (isExceeded(key.limit, spent)) return 'LIMIT_EXCEEDED';
  return 'VALID';
}

/** Returns the limit of a key after `LIMIT_EXCEEDED`; null for a key without a limit. */
export function exceededLimit(key: VerifiedKey, spent: NanoUsd, now: Date): ExceededLimit | null {
  const { limit, limit_reset } = key;
  if (limit === null) return null;
  return {
    interval: limit_reset ?? 'lifetime',
    limit,
    usage: numberUsd(spent),
    resets_at: limit_reset && startOfDay(windowOf(limit_reset, now).until).toISOString(),
  };
}

import type { Key } from './key.js';

/** Why a key may not be used at a time, as a refusal; null when it may. */
export function whyNotLive(
  { disabled, expires_at }: Pick<Key, 'disabled' | 'expires_at'>,
  now: Date,
): 'key-disabled' | 'key-expired' | null {
  if (disabled) return 'key-disabled';
  return expires_at !== null && Date.parse(expires_at) <= now.getTime() ? 'key-expired' : null;
}

import type { Key } from './key.js';

/** Gives the code of the refusal when a key is disabled or expired; null when the key is live. */
export function whyNotLive(
  { disabled, expires_at }: Pick<Key, 'disabled' | 'expires_at'>,
  now: Date,
): 'key-disabled' | 'key-expired' | null {
  if (disabled) return 'key-disabled';
  return expires_at !== null && Date.parse(expires_at) <= now.getTime() ? 'key-expired' : null;
}

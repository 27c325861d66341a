import type { components } from '../../api/openapi.js';

export type Key = components['schemas']['Key'];

/** Returns why a key cannot be used at a time, or that it can. */
export function stateOf(key: Key, now: number): 'disabled' | 'expired' | 'spent' | 'live' {
  if (key.disabled) return 'disabled';
  if (key.expires_at !== null && Date.parse(key.expires_at) <= now) return 'expired';
  return key.limit_remaining === 0 ? 'spent' : 'live';
}

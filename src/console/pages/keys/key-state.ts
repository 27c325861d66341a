import type { Schemas } from '../../api/client.js';

export type Key = Schemas['Key'];

/** Returns why a key cannot be used at a time, or that it can. */
export function stateOf(key: Key, now: number): 'disabled' | 'expired' | 'spent' | 'live' {
  if (key.disabled) return 'disabled';
  if (key.expires_at !== null && Date.parse(key.expires_at) <= now) return 'expired';
  return key.limit_remaining === 0 ? 'spent' : 'live';
}

/** Returns when the window of a limit ends (docs/api.md 3.5); null for one that never resets. */
export function nextReset(reset: Key['limit_reset'], now: Date): string | null {
  if (reset === null) return null;
  const end = new Date(now);
  end.setUTCHours(24, 0, 0, 0);
  if (reset === 'weekly') end.setUTCDate(end.getUTCDate() + ((8 - end.getUTCDay()) % 7));
  if (reset === 'monthly' && end.getUTCDate() !== 1) {
    end.setUTCMonth(end.getUTCMonth() + 1, 1);
  }
  return end.toISOString();
}

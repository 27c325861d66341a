import { Big } from 'big.js';
import type { Key, LimitReset } from './key.js';

/** What was spent of one kind, own or BYOK, at one moment: in all, and in each window. Amounts are decimals in USD. */
export type Spent = Readonly<Record<'total' | LimitReset, string>>;

/** What a key has used at one moment. */
export interface Usage {
  readonly own: Spent;
  readonly byok: Spent;
}

export const NOTHING = new Big(0);

const nothing: Spent = { total: '0', daily: '0', weekly: '0', monthly: '0' };

export const noUsage: Usage = { own: nothing, byok: nothing };

/**
 * Returns the first day of the window that contains `now`, as `YYYY-MM-DD` (docs/api.md 3.5). Windows begin at midnight
 * UTC, weeks on Monday, months on the 1st.
 */
export function windowStart(reset: LimitReset, now: Date): string {
  const day = now.toISOString().slice(0, 10);
  switch (reset) {
    case 'daily':
      return day;
    case 'weekly': {
      const daysSinceMonday = (now.getUTCDay() + 6) % 7;
      return new Date(now.getTime() - daysSinceMonday * 86_400_000).toISOString().slice(0, 10);
    }
    case 'monthly':
      return `${day.slice(0, 7)}-01`;
  }
}

export function windowEnd(reset: LimitReset, now: Date): Date {
  const end = new Date(`${windowStart(reset, now)}T00:00:00.000Z`);
  if (reset === 'monthly') end.setUTCMonth(end.getUTCMonth() + 1);
  else end.setUTCDate(end.getUTCDate() + (reset === 'weekly' ? 7 : 1));
  return end;
}

/** The fields of a key that say how its limit counts. */
export type Limited = Pick<Key, 'limit' | 'limit_reset' | 'include_byok_in_limit'>;

/** Returns the spending toward a key's limit: in the window of the limit, or in all when the limit never resets. */
export function spending(key: Limited, { own, byok }: Usage): Big {
  const window = key.limit_reset ?? 'total';
  const spent = new Big(own[window]);
  return key.include_byok_in_limit ? spent.plus(byok[window]) : spent;
}

/** Returns the rest of a limit in USD, exactly, never below 0; null without a limit. */
export function exactLimitRemaining(limit: number | null, spent: Big): Big | null {
  if (limit === null) return null;
  const left = new Big(limit).minus(spent);
  return left.lt(0) ? NOTHING : left;
}

/** Returns the rest of a limit in USD, as the nearest number. */
export function limitRemaining(limit: number | null, spent: Big): number | null {
  // A short cut, because most keys are shown before anything is spent.
  if (spent.eq(NOTHING)) return limit;
  return exactLimitRemaining(limit, spent)?.toNumber() ?? null;
}

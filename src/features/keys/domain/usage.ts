import { Big } from 'big.js';
import type { LimitReset } from './key.js';

/** The spending in one window, which counts until the end of the window. Amounts are decimal strings in USD. */
interface WindowTotal {
  /** First day of the window, `YYYY-MM-DD` in UTC. */
  readonly since: string;
  readonly amount: string;
}

/** The spending of one kind, own or BYOK: the total, and the spending in the newest window of each length. */
export interface UsageTotals {
  readonly total: string;
  readonly windows: Readonly<Record<LimitReset, WindowTotal>>;
}

export interface Usage {
  readonly own: UsageTotals;
  readonly byok: UsageTotals;
}

const NOTHING = new Big(0);

const nothing: WindowTotal = { since: '', amount: '0' };
const noTotals: UsageTotals = {
  total: '0',
  windows: { daily: nothing, weekly: nothing, monthly: nothing },
};

export const noUsage: Usage = { own: noTotals, byok: noTotals };

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

/** Returns the spending in the window that contains `now`, or the total spending when `reset` is null. */
export function spent(totals: UsageTotals, reset: LimitReset | null, now: Date): Big {
  if (reset === null) return new Big(totals.total);
  const { since, amount } = totals.windows[reset];
  // Most keys are verified before anything is spent, and finding the window takes longer than the rest of a decision.
  const isCurrent = amount !== '0' && since === windowStart(reset, now);
  return isCurrent ? new Big(amount) : NOTHING;
}

/** The fields of a key that say how its limit counts. */
export interface Limited {
  readonly limit: number | null;
  readonly limit_reset: LimitReset | null;
  readonly include_byok_in_limit: boolean;
}

/** Returns the spending toward a key's limit: in the current window, or the total when the limit never resets. */
export function spending(key: Limited, usage: Usage, now: Date): Big {
  const own = spent(usage.own, key.limit_reset, now);
  return key.include_byok_in_limit ? own.plus(spent(usage.byok, key.limit_reset, now)) : own;
}

/** Returns the rest of a limit in USD, exactly, never below 0; null without a limit. */
export function exactLimitRemaining(key: Limited, usage: Usage, now: Date): Big | null {
  if (key.limit === null) return null;
  const left = new Big(key.limit).minus(spending(key, usage, now));
  return left.lt(0) ? NOTHING : left;
}

/** Returns the rest of a limit in USD, as the nearest number. */
export function limitRemaining(key: Limited, usage: Usage, now: Date): number | null {
  // A short cut, because most keys are shown before anything is spent.
  if (spending(key, usage, now).eq(NOTHING)) return key.limit;
  return exactLimitRemaining(key, usage, now)?.toNumber() ?? null;
}

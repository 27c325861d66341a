import { Big } from 'big.js';
import type { LimitReset } from '../../keys/domain/key.js';
import { type Limited, NOTHING, windowEnd, windowStart } from '../../keys/domain/usage.js';
import { dateOf, dayIn, type KeyUsage } from './key-usage.js';
import { decimalUsd, type NanoUsd } from './usd.js';

/** What counts toward the limit of a key: the days of a window, and the kinds of spending. */
export interface Counting {
  readonly reset: LimitReset | null;
  readonly includesByok: boolean;
  /** The window is from `since`, until before `until`, in milliseconds since the epoch. */
  readonly since: number;
  readonly until: number;
}

/** What was spent, as it is stored or as it is summed up. */
type Spent = Readonly<Record<'usage' | 'byok_usage', string | NanoUsd>>;

export function countingOf(key: Limited, now: Date): Counting {
  const { limit_reset: reset, include_byok_in_limit: includesByok } = key;
  if (reset === null) return { reset, includesByok, since: -Infinity, until: Infinity };
  const since = Date.parse(windowStart(reset, now));
  return { reset, includesByok, since, until: windowEnd(reset, now).getTime() };
}

export function isCountedSo(counting: Counting, key: Limited, now: Date): boolean {
  const time = now.getTime();
  return (
    counting.reset === key.limit_reset &&
    counting.includesByok === key.include_byok_in_limit &&
    counting.since <= time &&
    time < counting.until
  );
}

export function countedIn(counting: Counting, { totals, days }: KeyUsage): NanoUsd {
  if (counting.reset === null) return amountOf(counting, totals);
  return days
    .filter((text) => isCounted(counting, dateOf(text)))
    .reduce((sum, text) => sum + amountOf(counting, dayIn(text)), 0n);
}

export function countedOf(counting: Counting, sum: Spent & { readonly day: string }): NanoUsd {
  return isCounted(counting, sum.day) ? amountOf(counting, sum) : 0n;
}

function isCounted({ since, until }: Counting, day: string): boolean {
  const time = Date.parse(day);
  return time >= since && time < until;
}

function amountOf({ includesByok }: Counting, { usage, byok_usage }: Spent): NanoUsd {
  return includesByok ? BigInt(usage) + BigInt(byok_usage) : BigInt(usage);
}

export function usd(amount: NanoUsd): Big {
  return amount === 0n ? NOTHING : new Big(decimalUsd(amount));
}

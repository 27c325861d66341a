import {
  noUsage,
  type Usage,
  type UsageTotals,
  windowEnd,
  windowStart,
} from '../../keys/domain/usage.js';
import type { LimitReset } from '../../keys/domain/key.js';
import { amountsIn, NO_AMOUNTS, plus, stored, type StoredAmounts, sumsBy } from './amounts.js';
import type { Reported } from './usage.events.js';
import { decimalUsd } from './usd.js';

/** The amounts of one day. */
export interface Day extends StoredAmounts {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
}

/** The use of a key: in all, and by day. */
export interface KeyUsage {
  readonly totals: StoredAmounts;
  /** The days that were used, the oldest first. No day is `KEPT_DAYS` or more days before the newest. */
  readonly days: readonly Day[];
  readonly last_used_at: string;
}

/** How many days a key's use is kept by day: more than twice as long as the longest window. */
const KEPT_DAYS = 62;
const DAY_MS = 86_400_000;

/** The use of a key that a report adds. */
export interface AddedUsage {
  readonly hash: string;
  readonly days: readonly Day[];
  readonly last_used_at: string;
}

/** Returns what a report adds to each of its keys. */
export function addedUsage({ keys, sums }: Reported): AddedUsage[] {
  const daysOf = new Map(keys.map(({ hash }) => [hash, [] as Day[]]));
  const days = sumsBy(sums, ({ key_hash, day }) => key_hash + day, amountsIn);
  for (const { first, amounts } of days) {
    daysOf.get(first.key_hash)?.push({ day: first.day, ...amounts });
  }
  return keys.map(({ hash, last_used_at }) => ({
    hash,
    days: daysOf.get(hash) ?? [],
    last_used_at,
  }));
}

/** Adds to the use of a key. The result does not depend on the order in which reports are added. */
export function withUsage(before: KeyUsage | undefined, added: AddedUsage): KeyUsage {
  const days = new Map((before?.days ?? []).map((day) => [day.day, day]));
  let totals = before?.totals ?? NO_AMOUNTS;
  for (const day of added.days) {
    totals = sum(totals, day);
    days.set(day.day, { day: day.day, ...sum(days.get(day.day) ?? NO_AMOUNTS, day) });
  }
  const last = before?.last_used_at ?? '';
  return {
    totals,
    days: newest([...days.values()]),
    last_used_at: last > added.last_used_at ? last : added.last_used_at,
  };
}

function sum(one: StoredAmounts, other: StoredAmounts): StoredAmounts {
  return stored(plus(amountsIn(one), amountsIn(other)));
}

function newest(days: readonly Day[]): Day[] {
  const sorted = days.toSorted((a, b) => (a.day < b.day ? -1 : 1));
  const last = sorted.at(-1)?.day ?? '';
  const first = new Date(Date.parse(last) - (KEPT_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  return sorted.filter(({ day }) => day >= first);
}

/** Returns the use of a key as its limit counts it at `now`: in all, and in each window that contains `now`. */
export function usageAt(usage: KeyUsage | undefined, now: Date): Usage {
  if (!usage) return noUsage;
  const windows = {
    daily: daysIn(usage.days, 'daily', now),
    weekly: daysIn(usage.days, 'weekly', now),
    monthly: daysIn(usage.days, 'monthly', now),
  };
  return {
    own: totalsOf('usage', usage.totals, windows),
    byok: totalsOf('byok_usage', usage.totals, windows),
  };
}

/** The days of a window. */
interface Window {
  /** The first day of the window. */
  readonly since: string;
  readonly days: readonly Day[];
}

/** Returns the days of a window to its last day, because a report may be some minutes ahead of the clock. */
function daysIn(days: readonly Day[], reset: LimitReset, now: Date): Window {
  const since = windowStart(reset, now);
  const next = windowEnd(reset, now).toISOString();
  return { since, days: days.filter(({ day }) => day >= since && day < next.slice(0, 10)) };
}

function totalsOf(
  kind: 'usage' | 'byok_usage',
  totals: StoredAmounts,
  { daily, weekly, monthly }: Readonly<Record<LimitReset, Window>>,
): UsageTotals {
  const total = ({ since, days }: Window) => ({
    since,
    amount: decimalUsd(days.reduce((amount, day) => amount + BigInt(day[kind]), 0n)),
  });
  return {
    total: decimalUsd(BigInt(totals[kind])),
    windows: { daily: total(daily), weekly: total(weekly), monthly: total(monthly) },
  };
}

import { type Spent, type Usage, windowEnd, windowStart } from '../../keys/domain/usage.js';
import type { LimitReset } from '../../keys/domain/key.js';
import { amountsIn, NO_AMOUNTS, once, type StoredAmounts, sumOf, sumsBy } from './amounts.js';
import type { Reported, ReportedSum } from './usage.events.js';
import { decimalUsd } from './usd.js';

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

/** How many days a key's use is kept by day: twice the longest window, because reports may be late. */
const KEPT_DAYS = 62;
const DAY_MS = 86_400_000;

export interface AddedUsage {
  readonly hash: string;
  readonly days: readonly Day[];
  readonly last_used_at: string;
}

export const sumsOfKeys = once((sums: readonly ReportedSum[]) =>
  sumsBy(sums, ({ key, day }) => `${key} ${day}`, amountsIn),
);

export function addedUsage({ keys, sums }: Reported): AddedUsage[] {
  const added = keys.map(({ hash, last_used_at }) => ({ hash, days: [] as Day[], last_used_at }));
  for (const { first, amounts } of sumsOfKeys(sums)) {
    added[first.key]?.days.push({ day: first.day, ...amounts });
  }
  return added;
}

/** Adds to the use of a key. The result does not depend on the order in which reports are added. */
export function withUsage(before: KeyUsage | undefined, added: AddedUsage): KeyUsage {
  const last = before?.last_used_at ?? '';
  const known = before?.days ?? [];
  const days = added.days.reduce(withDay, known);
  return {
    totals: added.days.reduce(sumOf, before?.totals ?? NO_AMOUNTS),
    // Without another day there is none to let go.
    days: days.length === known.length ? days : newest(days),
    last_used_at: last > added.last_used_at ? last : added.last_used_at,
  };
}

function withDay(days: readonly Day[], added: Day): readonly Day[] {
  // Most reports are about the newest day.
  const at = days.findLastIndex(({ day }) => day <= added.day);
  const known = days[at];
  if (known?.day !== added.day) return days.toSpliced(at + 1, 0, added);
  return days.with(at, { day: added.day, ...sumOf(known, added) });
}

function newest(days: readonly Day[]): readonly Day[] {
  const last = Date.parse(days.at(-1)?.day ?? '');
  const first = new Date(last - (KEPT_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  return days.slice(days.findIndex(({ day }) => day >= first));
}

interface Window {
  /** The first day. */
  readonly since: string;
  /** The day after the last one. */
  readonly until: string;
}

/** The window of each length that contains a moment. */
export type Windows = Readonly<Record<LimitReset, Window>>;

/** Returns the windows that contain `now`. They are the same for all keys, and finding them takes time. */
export function windowsAt(now: Date): Windows {
  const window = (reset: LimitReset): Window => ({
    since: windowStart(reset, now),
    until: windowEnd(reset, now).toISOString().slice(0, 10),
  });
  return { daily: window('daily'), weekly: window('weekly'), monthly: window('monthly') };
}

/** Returns the use of a key as its limit counts it: in all, and in each of the windows. */
export function usageIn(windows: Windows, usage: KeyUsage): Usage {
  return {
    own: spentOf('usage', windows, usage),
    byok: spentOf('byok_usage', windows, usage),
  };
}

function spentOf(
  kind: 'usage' | 'byok_usage',
  { daily, weekly, monthly }: Windows,
  { totals, days }: KeyUsage,
): Spent {
  const spent = ({ since, until }: Window): string => {
    let amount = 0n;
    // A window counts to its last day, because a report may be some minutes ahead of the clock.
    for (const day of days) {
      if (day.day >= since && day.day < until) amount += BigInt(day[kind]);
    }
    return decimalUsd(amount);
  };
  return {
    total: decimalUsd(BigInt(totals[kind])),
    daily: spent(daily),
    weekly: spent(weekly),
    monthly: spent(monthly),
  };
}

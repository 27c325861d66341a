import { type Spent, type Usage, windowEnd, windowStart } from '../../keys/domain/usage.js';
import type { LimitReset } from '../../keys/domain/key.js';
import { amountsIn, NO_AMOUNTS, once, type StoredAmounts, sumOf, sumsBy } from './amounts.js';
import type { ReportedSum } from './usage.events.js';
import type { UsageSums } from './usage-sums.js';
import { decimalUsd, type NanoUsd } from './usd.js';

export interface Day extends StoredAmounts {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
}

/** The use of a key: in all, and by day. */
export interface KeyUsage {
  readonly totals: StoredAmounts;
  /** The newest `KEPT_DAYS` days that were used, the oldest first, each as a text that `dayIn` reads. */
  readonly days: readonly string[];
  readonly last_used_at: string;
}

/**
 * How many days a key's use is kept by day: twice the longest window. Days that a clock ran ahead by, or that late
 * reports name, take places of their own, and the days of the window still have theirs.
 */
const KEPT_DAYS = 62;
const DAY_LENGTH = 'YYYY-MM-DD'.length;

export interface AddedUsage {
  readonly hash: string;
  readonly days: readonly Day[];
  readonly last_used_at: string;
}

export const sumsOfKeys = once((sums: readonly ReportedSum[]) =>
  sumsBy(sums, ({ key, day }) => `${key} ${day}`, amountsIn),
);

export function addedUsage({ keys, sums }: UsageSums): AddedUsage[] {
  const added = keys.map(({ hash, last_used_at }) => ({ hash, days: [] as Day[], last_used_at }));
  for (const { first, amounts } of sumsOfKeys(sums)) {
    added[first.key]?.days.push({ day: first.day, ...amounts });
  }
  return added;
}

/** Adds to the use of a key. The result does not depend on the order in which reports are added and taken back. */
export function withUsage(before: KeyUsage | undefined, added: AddedUsage): KeyUsage {
  const last = before?.last_used_at ?? '';
  return {
    totals: added.days.reduce(sumOf, before?.totals ?? NO_AMOUNTS),
    days: added.days.reduce(withDay, before?.days ?? []).slice(-KEPT_DAYS),
    last_used_at: last > added.last_used_at ? last : added.last_used_at,
  };
}

function withDay(days: readonly string[], added: Day): readonly string[] {
  // Most reports are about the newest day.
  const at = days.findLastIndex((text) => dateOf(text) <= added.day);
  const known = days[at];
  if (known === undefined || dateOf(known) !== added.day) {
    return days.toSpliced(at + 1, 0, textOf(added));
  }
  return days.with(at, textOf({ day: added.day, ...sumOf(dayIn(known), added) }));
}

/** Returns a day as one short text, because documents have many, and each is read and written for each report. */
function textOf({ day, usage, byok_usage, requests }: Day): string {
  return `${day} ${usage} ${byok_usage} ${requests}`;
}

/** Returns the date of a day in its text. */
export function dateOf(text: string): string {
  return text.slice(0, DAY_LENGTH);
}

/** Reads a day from its text. */
export function dayIn(text: string): Day {
  const [day = '', usage = '', byok_usage = '', requests = ''] = text.split(' ');
  return { day, usage, byok_usage, requests };
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
export function usageIn(windows: Windows, { totals, days }: KeyUsage): Usage {
  const { daily, weekly, monthly } = windows;
  // A week may begin in the month before. Older days need not be read.
  const first = weekly.since < monthly.since ? weekly.since : monthly.since;
  const recent = days.filter((text) => dateOf(text) >= first).map(dayIn);
  const spent = (kind: 'usage' | 'byok_usage'): Spent => ({
    total: decimalUsd(BigInt(totals[kind])),
    daily: decimalUsd(spentWithin(daily, recent, kind)),
    weekly: decimalUsd(spentWithin(weekly, recent, kind)),
    monthly: decimalUsd(spentWithin(monthly, recent, kind)),
  });
  return { own: spent('usage'), byok: spent('byok_usage') };
}

function spentWithin(
  { since, until }: Window,
  days: readonly Day[],
  kind: 'usage' | 'byok_usage',
): NanoUsd {
  let amount = 0n;
  for (const day of days) {
    // A window counts to its last day, because a report may be some minutes ahead of the clock.
    if (day.day >= since && day.day < until) amount += BigInt(day[kind]);
  }
  return amount;
}

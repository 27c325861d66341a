import { dayOf } from '../../../kernel/day.js';
import {
  amountsIn,
  ZERO_AMOUNTS,
  memoize,
  type StoredAmounts,
  plusStored,
  sumsBy,
} from './amounts.js';
import type { ReportedSum } from './usage.events.js';
import type { UsageSums } from './usage-sums.js';

export interface Day extends StoredAmounts {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
}

/** The use of a key: in all, and by day. */
export interface KeyUsage {
  readonly totals: StoredAmounts;
  /** The newest `KEPT_DAYS` days with use, the oldest first, each as a text that `dayIn` reads. */
  readonly days: readonly string[];
  readonly last_used_at: string;
}

/**
 * How many days a key's use is kept by day: twice the longest window. Days that a clock ran ahead
 * by, or that late reports name, so take no place from the days of the window.
 */
const KEPT_DAYS = 62;

export interface AddedUsage {
  readonly hash: string;
  readonly days: readonly Day[];
  readonly last_used_at: string;
}

export const sumsOfKeys = memoize((sums: readonly ReportedSum[]) =>
  sumsBy(sums, ({ key, day }) => `${key} ${day}`, amountsIn),
);

export function addedUsage({ keys, sums }: UsageSums): AddedUsage[] {
  const added = keys.map(({ hash, last_used_at }) => ({ hash, days: [] as Day[], last_used_at }));
  for (const { first, amounts } of sumsOfKeys(sums)) {
    added[first.key]?.days.push({ day: first.day, ...amounts });
  }
  return added;
}

/** Adds to the use of a key: the same result in whatever order reports come and are reversed. */
export function withUsage(before: KeyUsage | undefined, added: AddedUsage): KeyUsage {
  const last = before?.last_used_at ?? '';
  return {
    totals: added.days.reduce(plusStored, before?.totals ?? ZERO_AMOUNTS),
    days: added.days.reduce(withDay, before?.days ?? []).slice(-KEPT_DAYS),
    last_used_at: last > added.last_used_at ? last : added.last_used_at,
  };
}

function withDay(days: readonly string[], added: Day): readonly string[] {
  // Most reports are about the newest day.
  const at = days.findLastIndex((text) => dayOf(text) <= added.day);
  const known = days[at];
  if (known === undefined || dayOf(known) !== added.day) {
    return days.toSpliced(at + 1, 0, textOf(added));
  }
  return days.with(at, textOf({ day: added.day, ...plusStored(dayIn(known), added) }));
}

/** Returns a day as a short text: documents have many, and each report reads and writes them. */
function textOf({ day, usage, byok_usage, requests }: Day): string {
  return `${day} ${usage} ${byok_usage} ${requests}`;
}

export function dayIn(text: string): Day {
  const [day = '', usage = '', byok_usage = '', requests = ''] = text.split(' ');
  return { day, usage, byok_usage, requests };
}

import { Big } from 'big.js';
import { dayOf, startOfDay } from '../../../kernel/day.js';
import { decimalUsd, type NanoUsd } from '../../../kernel/usd.js';
import type { LimitReset } from '../../../kernel/limit-reset.js';
import type { Key } from './key.js';

/**
 * Names what may have a limit: a key by its hash, a workspace by its id, and an end user by the
 * name of their stream. No two subjects of all accounts have the same name.
 */
export type Subject = string;

/** The kinds of subjects, in the order in which a verification asks about their limits. */
export const SUBJECT_KINDS = ['key', 'end-user', 'workspace'] as const;

export type SubjectKind = (typeof SUBJECT_KINDS)[number];

/** Amounts that were spent, own and BYOK. */
export interface Spent {
  readonly usage: NanoUsd;
  readonly byok_usage: NanoUsd;
}

/** The use of a subject at one moment: in all, and in the window of each length. */
export type UsageByWindow = Readonly<Record<'total' | LimitReset, Spent>>;

const NOTHING_SPENT: Spent = { usage: 0n, byok_usage: 0n };

export const NEVER_USED: UsageByWindow = {
  total: NOTHING_SPENT,
  daily: NOTHING_SPENT,
  weekly: NOTHING_SPENT,
  monthly: NOTHING_SPENT,
};

/** The days in which a limit counts, as `YYYY-MM-DD` in UTC (docs/api.md 3.5). */
export interface Window {
  readonly since: string;
  /** The day after the last one. */
  readonly until: string;
}

/** Returns the window that contains `now`. Weeks begin on Monday, months on the 1st. */
export function windowOf(reset: LimitReset, now: Date): Window {
  const first = startOfDay(dayOf(now.toISOString()));
  if (reset === 'weekly') first.setUTCDate(first.getUTCDate() - ((first.getUTCDay() + 6) % 7));
  if (reset === 'monthly') first.setUTCDate(1);
  const end = new Date(first);
  if (reset === 'monthly') end.setUTCMonth(end.getUTCMonth() + 1);
  else end.setUTCDate(end.getUTCDate() + (reset === 'weekly' ? 7 : 1));
  return { since: dayOf(first.toISOString()), until: dayOf(end.toISOString()) };
}

/** Returns when a limit resets next, in ISO 8601 UTC; null for one that never resets. */
export function resetsAt(reset: LimitReset | null, now: Date): string | null {
  return reset && startOfDay(windowOf(reset, now).until).toISOString();
}

/** Whether a day is in a window, to its last day: a report may be ahead of the clock by minutes. */
export function isWithin({ since, until }: Window, day: string): boolean {
  return day >= since && day < until;
}

/** A limit in USD, null for none, and how it counts: the fields of a key, or a budget. */
export type Limited = Pick<Key, 'limit' | 'limit_reset' | 'include_byok_in_limit'>;

/** Returns how much of what was spent counts toward a limit. */
export function countedPart(
  { include_byok_in_limit }: Pick<Limited, 'include_byok_in_limit'>,
  { usage, byok_usage }: Spent,
): NanoUsd {
  return include_byok_in_limit ? usage + byok_usage : usage;
}

/** Returns what was spent toward a limit: in its window, or in all when it never resets. */
export function spentTowardLimit(limited: Limited, usage: UsageByWindow): NanoUsd {
  return countedPart(limited, usage[limited.limit_reset ?? 'total']);
}

/** Returns the rest of a limit in USD, exactly, never below 0. */
export function exactLimitRemaining(limit: number, spent: NanoUsd): Big {
  const left = new Big(limit).minus(decimalUsd(spent));
  return left.lt(0) ? new Big(0) : left;
}

/** Returns the rest of a limit in USD, as the nearest number. */
export function limitRemaining(limit: number, spent: NanoUsd): number;
export function limitRemaining(limit: number | null, spent: NanoUsd): number | null;
export function limitRemaining(limit: number | null, spent: NanoUsd): number | null {
  // A short cut, because most keys are shown before anything is spent.
  if (limit === null || spent === 0n) return limit;
  return exactLimitRemaining(limit, spent).toNumber();
}

import { dayOf } from '../../../kernel/day.js';
import { endUserId, endUserStream } from '../../end-users/domain/end-user.js';
import type { Subject } from '../../keys/domain/limit.js';
import { memoize, plusStored, type StoredAmounts, ZERO_AMOUNTS } from './amounts.js';
import { sumsOfKeys, sumsOfUsers, sumsOfWorkspaces, type UsageSums } from './usage-sums.js';

export interface Day extends StoredAmounts {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
}

/** The use of a subject: in all, and by day. */
export interface SubjectUsage {
  readonly totals: StoredAmounts;
  /** The newest `KEPT_DAYS` days with use, the oldest first, as one text that `daysIn` reads. */
  readonly days: string;
  /** Null for what is no key. */
  readonly last_used_at: string | null;
}

/**
 * How many days a subject's use is kept by day: twice the longest window. Days that a clock ran
 * ahead by, or that late reports name, so take no place from the days of the window.
 */
const KEPT_DAYS = 62;

/** The amounts that a report adds to the use of a subject. */
export interface AddedUsage {
  readonly subject: Subject;
  /** The tracking ID of an end user; null for other subjects. */
  readonly user: string | null;
  readonly days: readonly Day[];
  readonly last_used_at: string | null;
}

/** Returns what a report adds to the use of its keys, their workspaces, and its end users. */
export const addedUsage = memoize((report: UsageSums): AddedUsage[] => {
  const { account_id, keys } = report;
  const added = new Map<Subject, AddedUsage & { readonly days: Day[] }>();
  const add = (
    subject: Subject,
    day: Day,
    { user = null, last_used_at = null }: Partial<AddedUsage> = {},
  ): void => {
    const known = added.get(subject);
    if (known) known.days.push(day);
    else added.set(subject, { subject, user, days: [day], last_used_at });
  };
  for (const { first, amounts } of sumsOfKeys(report)) {
    const { hash, last_used_at } = keys[first.key] ?? { hash: '', last_used_at: '' };
    add(hash, { day: first.day, ...amounts }, { last_used_at });
  }
  for (const { first, amounts } of sumsOfWorkspaces(report)) {
    add(first.workspace_id, { day: first.day, ...amounts });
  }
  for (const { first, amounts } of sumsOfUsers(report)) {
    const { day, user } = first;
    if (user === null) continue;
    add(endUserStream(endUserId(account_id, user)), { day, ...amounts }, { user });
  }
  return [...added.values()];
});

/** Adds to the use of a subject: the same in whatever order reports come and are reversed. */
export function withUsage(before: SubjectUsage | undefined, added: AddedUsage): SubjectUsage {
  const last = before?.last_used_at ?? '';
  return {
    totals: added.days.reduce(plusStored, before?.totals ?? ZERO_AMOUNTS),
    days: added.days.reduce(withDay, before?.days ?? ''),
    last_used_at: last > (added.last_used_at ?? '') ? last : added.last_used_at,
  };
}

/** Documents have many days, and each report reads and writes them, so they are one short text. */
const SEPARATOR = ',';

function withDay(days: string, added: Day): string {
  // Amounts have no hyphens after a digit, so nothing else in the text is like a day.
  const at = days.lastIndexOf(added.day);
  if (at === -1) return withNewDay(days === '' ? [] : daysIn(days), added);
  const next = days.indexOf(SEPARATOR, at);
  const end = next === -1 ? days.length : next;
  const known = dayIn(days.slice(at, end));
  const sum = textOf({ day: added.day, ...plusStored(known, added) });
  return days.slice(0, at) + sum + days.slice(end);
}

function withNewDay(days: readonly string[], added: Day): string {
  const at = days.findLastIndex((text) => dayOf(text) < added.day);
  return days
    .toSpliced(at + 1, 0, textOf(added))
    .slice(-KEPT_DAYS)
    .join(SEPARATOR);
}

function textOf({ day, usage, byok_usage, requests }: Day): string {
  return `${day} ${usage} ${byok_usage} ${requests}`;
}

/** Returns each day as a text that begins with the date, and that `dayIn` reads. */
export function daysIn(days: string): readonly string[] {
  return days.split(SEPARATOR);
}

export function dayIn(text: string): Day {
  const [day = '', usage = '', byok_usage = '', requests = ''] = text.split(' ');
  return { day, usage, byok_usage, requests };
}

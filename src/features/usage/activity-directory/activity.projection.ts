import type { Documents, Projection } from '../../../event-sourcing/projections/projection.js';
import type { Recorded } from '../../../kernel/event.js';
import {
  activityByDay,
  activityByKey,
  activityByUser,
  activityByWorkspace,
  MOST_USERS,
} from '../domain/activity.js';
import { ZERO_AMOUNTS, type StoredAmounts, plusStored } from '../domain/amounts.js';
import { type UsageEvent, usageEvents } from '../domain/usage.events.js';
import { sumsIn } from '../domain/usage-sums.js';

/** A row, with its place among the rows of an account. */
export interface ActivityRow extends StoredAmounts {
  readonly account_id: string;
  /** Sorts by date, the newest first, and then by what the row is about, with null last. */
  readonly place: string;
  readonly date: string;
  readonly api_key_hash?: string | null;
  readonly workspace_id?: string | null;
  readonly user?: string | null;
}

export interface ActivityCollections {
  readonly activity_by_key: ActivityRow;
  readonly activity_by_user: ActivityRow;
  readonly activity_by_workspace: ActivityRow;
  readonly activity_by_day: ActivityRow;
  /** How many users have rows of their own on a day. */
  readonly activity_users: { readonly users: number };
}

/**
 * The activity of accounts: rows by day, key and workspace, by day and user, by day and workspace,
 * and by day. All rows stay.
 */
export const activity: Projection<UsageEvent, ActivityCollections> = {
  name: 'activity',
  version: 4,
  events: usageEvents,
  collections: {
    activity_by_key: {
      indexes: {
        all: ['account_id', 'place'],
        api_key_hash: ['account_id', 'api_key_hash', 'place'],
        workspace_id: ['account_id', 'workspace_id', 'place'],
      },
    },
    activity_by_user: {
      indexes: { all: ['account_id', 'place'], user: ['account_id', 'user', 'place'] },
    },
    activity_by_workspace: {
      indexes: {
        all: ['account_id', 'place'],
        workspace_id: ['account_id', 'workspace_id', 'place'],
      },
    },
    activity_by_day: { indexes: { all: ['account_id', 'place'] } },
    activity_users: { indexes: {} },
  },
  evolve,
};

/** The greatest number of as many digits as a date has. */
const GREATEST = 99_999_999;

/**
 * Returns what places of a day's rows begin with: the date, counted down from `GREATEST`. An index,
 * read in one direction, so gives the newest day first, and a day's rows forward.
 */
export function dayStart(date: string): string {
  return numberText(GREATEST - Number(date.replaceAll('-', '')));
}

/** Returns a bound: places of a day and of later days are before it, those of earlier days not. */
export function dayEnd(date: string): string {
  return numberText(Number(dayStart(date)) + 1);
}

function numberText(number: number): string {
  return String(number).padStart(8, '0');
}

const NAMED = '0';
const NOBODYS = '1';

/** @param name null for the row that names nothing, which is the last one of its day. */
function placeOfRow(date: string, name: string | null): string {
  return dayStart(date) + (name === null ? NOBODYS : NAMED + name);
}

function evolve(documents: Documents<ActivityCollections>, event: Recorded<UsageEvent>): void {
  const { account_id } = event.data;
  const sums = sumsIn(event);
  for (const row of activityByKey(sums)) {
    const { date, api_key_hash, workspace_id } = row;
    // Hashes have a fixed length, so the workspace decides only between rows of one key.
    const place = placeOfRow(date, api_key_hash && api_key_hash + (workspace_id ?? ''));
    add(documents, 'activity_by_key', { account_id, place, ...row });
  }
  const hasRow = (date: string, user: string): boolean =>
    isCounted(documents, account_id, date, user);
  for (const row of activityByUser(sums, hasRow)) {
    const place = placeOfRow(row.date, row.user);
    add(documents, 'activity_by_user', { account_id, place, ...row });
  }
  for (const row of activityByWorkspace(sums)) {
    const place = placeOfRow(row.date, row.workspace_id);
    add(documents, 'activity_by_workspace', { account_id, place, ...row });
  }
  for (const row of activityByDay(sums)) {
    add(documents, 'activity_by_day', { account_id, place: placeOfRow(row.date, null), ...row });
  }
}

function add(
  documents: Documents<ActivityCollections>,
  collection: Exclude<keyof ActivityCollections, 'activity_users'>,
  row: ActivityRow,
): void {
  const name = documentKey(row.account_id, row.place);
  const before = documents.get(collection, name);
  documents.set(collection, name, { ...row, ...(before && plusStored(before, row)) });
}

/** Whether a user has a row of their own on a day: only the first `MOST_USERS` get one. */
function isCounted(
  documents: Documents<ActivityCollections>,
  account_id: string,
  date: string,
  user: string,
): boolean {
  const place = placeOfRow(date, user);
  const name = documentKey(account_id, place);
  if (documents.get('activity_by_user', name)) return true;
  const day = documentKey(account_id, date);
  const { users } = documents.get('activity_users', day) ?? { users: 0 };
  if (users >= MOST_USERS) return false;
  documents.set('activity_users', day, { users: users + 1 });
  documents.set('activity_by_user', name, { account_id, place, date, user, ...ZERO_AMOUNTS });
  return true;
}

/** Returns the key of a document: unique, because account ids have a fixed length. */
function documentKey(accountId: string, rest: string): string {
  return accountId + rest;
}

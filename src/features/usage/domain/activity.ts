import { amountsIn, memoize, sumsBy } from './amounts.js';
import { sumsOfKeys } from './key-usage.js';
import type { ReportedSum } from './usage.events.js';
import type { UsageSums } from './usage-sums.js';

const sumsOfUsers = memoize((sums: readonly ReportedSum[]) =>
  sumsBy(sums, ({ day, user }) => day + (user ?? ''), amountsIn),
);

/** Returns the use by day, key and workspace. Key and workspace are null for unattributed use. */
export function activityByKey({ keys, sums, unattributed_sums }: UsageSums) {
  const attributed = sumsOfKeys(sums).map(({ first: { day: date, key }, amounts }) => ({
    date,
    api_key_hash: keys[key]?.hash ?? null,
    workspace_id: keys[key]?.workspace_id ?? null,
    ...amounts,
  }));
  const others = unattributed_sums.map(({ day: date, ...amounts }) => ({
    date,
    api_key_hash: null,
    workspace_id: null,
    ...amounts,
  }));
  return [...attributed, ...others];
}

/** How many users of an account have rows of their own on a day, at most (docs/api.md 14). */
export const MOST_USERS = 10_000;

/**
 * Returns the use by day and user. The user is null where none is named, and for unattributed use.
 * @param hasRow whether a user has a row on a day. It is asked in the order in which the report
 * names users, so that the first ones get one. The others count into the row without a user.
 */
export function activityByUser(
  { sums, unattributed_sums }: UsageSums,
  hasRow: (date: string, user: string) => boolean,
) {
  // Many keys have the same users, so each user of a day is asked for once.
  const named = sumsOfUsers(sums).map(({ first: { day: date, user }, amounts }) => ({
    date,
    user: user !== null && hasRow(date, user) ? user : null,
    ...amounts,
  }));
  const nobodys = unattributed_sums.map(({ day: date, ...amounts }) => ({
    date,
    user: null,
    ...amounts,
  }));
  const rows = sumsBy([...named, ...nobodys], ({ date, user }) => date + (user ?? ''), amountsIn);
  return rows.map(({ first: { date, user }, amounts }) => ({ date, user, ...amounts }));
}

import { amountsIn, sumsBy } from './amounts.js';
import { sumsOfKeys, sumsOfUsers, sumsOfWorkspaces, type UsageSums } from './usage-sums.js';

/** Returns the use by day, key and workspace. Key and workspace are null for unattributed use. */
export function activityByKey(report: UsageSums) {
  const { keys } = report;
  const attributed = sumsOfKeys(report).map(({ first: { day: date, key }, amounts }) => ({
    date,
    api_key_hash: keys[key]?.hash ?? null,
    workspace_id: keys[key]?.workspace_id ?? null,
    ...amounts,
  }));
  return [...attributed, ...unattributed(report, { api_key_hash: null, workspace_id: null })];
}

/** Returns the use by day and workspace. The workspace is null for unattributed use. */
export function activityByWorkspace(report: UsageSums) {
  const attributed = sumsOfWorkspaces(report).map(({ first: { day, workspace_id }, amounts }) => ({
    date: day,
    workspace_id,
    ...amounts,
  }));
  return [...attributed, ...unattributed(report, { workspace_id: null })];
}

/** Returns the use by day, what is unattributed included. */
export function activityByDay(report: UsageSums) {
  const days = sumsBy(activityByWorkspace(report), ({ date }) => date, amountsIn);
  return days.map(({ first: { date }, amounts }) => ({ date, ...amounts }));
}

/** How many users of an account have rows of their own on a day, at most (docs/api.md 14). */
export const MOST_USERS = 10_000;

/**
 * Returns the use by day and user. The user is null where none is named, and for unattributed use.
 * @param hasRow whether a user has a row on a day. It is asked in the order in which the report
 * names users, so that the first ones get one. The others count into the row without a user.
 */
export function activityByUser(report: UsageSums, hasRow: (date: string, user: string) => boolean) {
  // Many keys have the same users, so each user of a day is asked for once.
  const named = sumsOfUsers(report).map(({ first: { day: date, user }, amounts }) => ({
    date,
    user: user !== null && hasRow(date, user) ? user : null,
    ...amounts,
  }));
  const nobodys = unattributed(report, { user: null });
  const rows = sumsBy([...named, ...nobodys], ({ date, user }) => date + (user ?? ''), amountsIn);
  return rows.map(({ first: { date, user }, amounts }) => ({ date, user, ...amounts }));
}

/** Returns the use of hashes that are not keys of the account, by day. @param names all null. */
function unattributed<Names>({ unattributed_sums }: UsageSums, names: Names) {
  return unattributed_sums.map(({ day: date, ...amounts }) => ({ date, ...names, ...amounts }));
}

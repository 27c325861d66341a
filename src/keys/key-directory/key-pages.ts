import { setImmediate as nextTurn } from 'node:timers/promises';
import { tooManyToCount } from '../../kernel/errors.js';
import { cutPage, type Paging } from '../../kernel/page.js';
import type { Position } from '../../kernel/position.js';
import { countsOf, sumOf } from '../../projections/rank-counts.js';
import { placeInScope, type ScopeDocument } from '../../projections/scope-counts.js';
import type { Range, View } from '../../read-store/read-store.js';
import type { Key } from '../domain/key.js';
import {
  indexedBy,
  type KeyDocument,
  type KeyScope,
  scopeKey,
} from './key-directory.projection.js';

/** The maximum number of keys that a list with several filters reads to find the keys that match all filters. */
export const MOST_WALKED = 1_000;
/** The number of bytes that a list with several filters reads before other requests have a turn. */
const SLICE_BYTES = 250_000;

const FILTER_FIELDS = ['workspace_id', 'creator_user_id', 'external_user', 'name'] as const;

/** A filter of an account's keys. A key matches when its fields have every value that is given. */
export type KeyFilter = { readonly [Field in (typeof FILTER_FIELDS)[number]]?: string | undefined };

/** The page that a caller wants from a list of keys. A place in the list is the ordinal of a key. */
export interface KeyPageWanted extends Paging {
  readonly filter: KeyFilter;
  readonly includeDisabled: boolean;
}

export interface FoundKeys {
  readonly keys: readonly Key[];
  /** The number of all matching keys, not just of this page. */
  readonly total: number;
  /** The place of the last key of the page; null when no more keys follow. */
  readonly next: string | null;
}

/** The list of the keys in a scope, with the counts of the scope. */
interface List {
  readonly scope: KeyScope;
  readonly counts: ScopeDocument | undefined;
  readonly total: number;
}

/**
 * Returns a page of the keys that match a filter, newest first, and the count of all matching keys. With one filter,
 * the function uses stored counts. With several filters, it reads every key of the filter that has the fewest keys.
 * @param position the log position that the view reflects at least.
 */
export async function pageOf(
  view: View,
  accountId: string,
  wanted: KeyPageWanted,
  position: Position,
): Promise<FoundKeys> {
  const asked = scopesOf(accountId, wanted.filter).map((scope) => listOf(view, scope, wanted));
  const lists = await Promise.all(asked);
  const [fewest, ...others] = lists.toSorted((a, b) => a.total - b.total);
  if (!fewest) throw new Error('there is no list of keys');
  if (others.length === 0) return countedPage(view, fewest, wanted);
  if (fewest.total > MOST_WALKED) {
    const counts = Object.fromEntries(lists.map(({ scope, total }) => [scope.field, total]));
    throw tooManyToCount(MOST_WALKED, counts, position);
  }
  return walkedPage(view, fewest, wanted);
}

function scopesOf(accountId: string, filter: KeyFilter): KeyScope[] {
  const given = FILTER_FIELDS.flatMap((field): KeyScope[] => {
    const value = filter[field];
    return value === undefined ? [] : [{ accountId, field, value }];
  });
  const everyKey: KeyScope = { accountId, field: 'account_id', value: accountId };
  return given.length > 0 ? given : [everyKey];
}

async function listOf(view: View, scope: KeyScope, wanted: KeyPageWanted): Promise<List> {
  const counts = await view.get<ScopeDocument>('scopes', scopeKey(scope));
  return { scope, counts, total: sumOf(countsOf(counts, flagOf(wanted))) };
}

async function countedPage(
  view: View,
  { scope, counts, total }: List,
  wanted: KeyPageWanted,
): Promise<FoundKeys> {
  const place = await placeIn(view, scope, counts, wanted);
  if (!place) return { keys: [], total, next: null };
  const range = { ...newestFirst(scope, wanted), ...place, limit: wanted.limit + 1 };
  const { documents } = await view.range<KeyDocument>('keys', range);
  return cut(documents, total, wanted);
}

/** Returns where a page begins: the ordinal to read down from, and how many keys to skip; null beyond the end. */
async function placeIn(
  view: View,
  scope: KeyScope,
  counts: ScopeDocument | undefined,
  wanted: KeyPageWanted,
): Promise<{ readonly to: number; readonly skip: number } | null> {
  const { after, offset } = wanted;
  if (after !== undefined) return { to: Number(after) - 1, skip: 0 };
  const flag = flagOf(wanted);
  const place = await placeInScope(view, scopeKey(scope), counts, flag, offset, 'descending');
  return place && { to: place.to, skip: place.skip };
}

async function walkedPage(view: View, fewest: List, wanted: KeyPageWanted): Promise<FoundKeys> {
  const { filter, offset, after } = wanted;
  const keys = await allOf(view, fewest, wanted);
  const matching = keys.filter((key) =>
    FILTER_FIELDS.every((field) => filter[field] === undefined || key[field] === filter[field]),
  );
  const from =
    after === undefined ? offset : matching.findIndex(({ ordinal }) => ordinal < Number(after));
  return cut(from < 0 ? [] : matching.slice(from), matching.length, wanted);
}

function cut(found: readonly KeyDocument[], total: number, { limit }: KeyPageWanted): FoundKeys {
  const { rows, next } = cutPage(found, limit, ({ ordinal }) => String(ordinal));
  return { keys: rows, total, next };
}

/** Reads every key of a list that has at most `MOST_WALKED` keys. */
async function allOf(
  view: View,
  { scope, total }: List,
  wanted: KeyPageWanted,
): Promise<KeyDocument[]> {
  const keys: KeyDocument[] = [];
  for (;;) {
    const last = keys.at(-1);
    const { documents, isWhole } = await view.range<KeyDocument>('keys', {
      ...newestFirst(scope, wanted),
      ...(last && { to: last.ordinal - 1 }),
      limit: total - keys.length,
      bytes: SLICE_BYTES,
    });
    keys.push(...documents);
    if (isWhole) return keys;
    await nextTurn();
  }
}

/** Returns the range of the wanted keys in a scope. An index holds the disabled keys apart from the enabled keys. */
function newestFirst(
  scope: KeyScope,
  { includeDisabled }: KeyPageWanted,
): Pick<Range, 'index' | 'equals' | 'anyOf' | 'descending'> {
  const index = `by_${scope.field}`;
  const equals = indexedBy(scope);
  return includeDisabled
    ? { index, equals, anyOf: [false, true], descending: true }
    : { index, equals: { ...equals, disabled: false }, descending: true };
}

function flagOf({ includeDisabled }: KeyPageWanted): 'all' | 'enabled' {
  return includeDisabled ? 'all' : 'enabled';
}

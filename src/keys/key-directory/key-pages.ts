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

/** Keys that are looked at, when several filters are given, to find those that match all of them. */
export const MOST_WALKED = 1_000;
/** Bytes of them that are looked at until others have a turn. */
const SLICE_BYTES = 250_000;

const FILTER_FIELDS = ['workspace_id', 'creator_user_id', 'external_user', 'name'] as const;

/** Which keys of an account are wanted: those whose fields have every value that is given. */
export type KeyFilter = { readonly [Field in (typeof FILTER_FIELDS)[number]]?: string | undefined };

/** A page of a list of keys. A place in its order is the ordinal of a key. */
export interface KeyPageWanted extends Paging {
  readonly filter: KeyFilter;
  readonly includeDisabled: boolean;
}

export interface FoundKeys {
  readonly keys: readonly Key[];
  /** All that match, not just this page. */
  readonly total: number;
  /** The place of the last one; null when no more follow. */
  readonly next: string | null;
}

/** The counted list of a scope. */
interface List {
  readonly scope: KeyScope;
  readonly counts: ScopeDocument | undefined;
  readonly total: number;
}

/**
 * A page of the keys that match a filter, newest first, and the count of all. With one filter both come from stored counts.
 * With several, the filter with the fewest keys is walked.
 * @param position of the view.
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

/** Where a page begins: the last ordinal that may be in it, and how many that match come before; null when there are none. */
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

/** Every key of a list that is short enough to be walked. */
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

/** The range of all keys of a scope. An index has the disabled ones apart. */
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

import type { Paging } from '../../../kernel/page.js';
import {
  type Counts,
  countsOf,
  placeOfRank,
  sumOf,
} from '../../../event-sourcing/projections/rank-counts.js';
import type { View } from '../../../event-sourcing/read-store/read-store.js';
import type { Key } from '../domain/key.js';
import {
  indexOf,
  type KeyDocument,
  type KeyFilter,
  type KeyScope,
  scopeKey,
  type TotalsDocument,
} from './key-directory.projection.js';

/** The page that a caller wants from a list of keys. */
export interface KeyPageWanted extends Paging {
  /** The workspace whose keys are listed; undefined for every workspace of the account. */
  readonly workspaceId: string | undefined;
  readonly filter: KeyFilter | undefined;
  readonly includeDisabled: boolean;
}

export interface FoundKeys {
  readonly keys: readonly Key[];
  /** The number of all keys in the list, not just of this page. */
  readonly total: number;
}

/** The total of a list, and where a page begins; null beyond the end. `to` is the ordinal to read down from. */
interface Sought {
  readonly total: number;
  readonly place: { readonly to?: number; readonly skip: number } | null;
}

/** Returns a page of a list, newest first, and the count of all keys in the list. */
export async function pageOf(
  view: View,
  accountId: string,
  { workspaceId, filter, includeDisabled, offset, limit }: KeyPageWanted,
): Promise<FoundKeys> {
  const scope: KeyScope =
    workspaceId === undefined
      ? { owner: 'account_id', id: accountId, filter }
      : { owner: 'workspace_id', id: workspaceId, filter };
  const flag = includeDisabled ? 'all' : 'enabled';
  const { total, place } = await (filter ? skipped : ranked)(view, scopeKey(scope), flag, offset);
  if (!place) return { keys: [], total };
  const { index, equals } = indexOf(scope);
  const { documents: keys } = await view.range<KeyDocument>('keys', {
    index,
    ...(includeDisabled
      ? { equals, anyOf: [false, true] }
      : { equals: { ...equals, disabled: false } }),
    descending: true,
    ...place,
    limit,
  });
  return { keys, total };
}

async function skipped(
  view: View,
  scope: string,
  flag: 'all' | 'enabled',
  offset: number,
): Promise<Sought> {
  const total = (await view.get<TotalsDocument>('totals', scope))?.[flag] ?? 0;
  return { total, place: offset < total ? { skip: offset } : null };
}

async function ranked(view: View, scope: string, flag: string, offset: number): Promise<Sought> {
  const counts = countsOf(await view.get<Counts>('scopes', scope), flag);
  const place = placeOfRank(counts, offset, 'descending');
  return { total: sumOf(counts), place: place && { to: place.to, skip: place.skip } };
}

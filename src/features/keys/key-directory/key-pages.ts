import type { Page, Paging } from '../../../kernel/page.js';
import { placeOfRank, sumOf } from '../../../event-sourcing/projections/rank-counts.js';
import type { IndexPart, View } from '../../../event-sourcing/read-store/read-store.js';
import type { Key } from '../domain/key.js';
import { type KeyCollections, type KeyScope, scopeKey } from './key-directory.projection.js';

/** What a list demands of a field of its keys: a value, or a time within bounds. */
export type KeyFilter =
  | { readonly field: 'creator_user_id' | 'external_user'; readonly value: string }
  | {
      readonly field: 'expires_at';
      /** The first time that is listed; undefined for the earliest one. */
      readonly from: string | undefined;
      /** The time before which keys are listed. */
      readonly before: string;
    };

export interface KeyPageWanted extends Paging {
  /** The workspace whose keys are listed; undefined for every workspace of the account. */
  readonly workspaceId: string | undefined;
  readonly filter: KeyFilter | undefined;
  readonly includeDisabled: boolean;
}

/** The total of a list, and where a page begins: read down from `to`. Null beyond the end. */
interface Sought {
  readonly total: number;
  readonly place: { readonly to?: number; readonly skip: number } | null;
}

/** Returns the scope of a list, and the key of the counts that `pageOfKeys` gets for it. */
export function scopeOf(
  accountId: string,
  { workspaceId, filter }: KeyPageWanted,
): { readonly scope: KeyScope; readonly counts: { readonly key_counts?: readonly string[] } } {
  const scope: KeyScope =
    workspaceId === undefined
      ? { owner: 'account_id', id: accountId }
      : { owner: 'workspace_id', id: workspaceId };
  return { scope, counts: filter ? {} : { key_counts: [scopeKey(scope)] } };
}

/**
 * Returns a page of a list, and the count of all keys in the list. A list by expiry begins with the
 * key that expires soonest, every other one with the newest key.
 */
export async function pageOfKeys(
  view: View<KeyCollections>,
  scope: KeyScope,
  { filter, includeDisabled, offset, limit }: KeyPageWanted,
): Promise<Page<Key>> {
  const list = indexPartOf(scope, filter, includeDisabled);
  const { total, place } = filter
    ? await findBySkipping(view, list, offset)
    : await findByRank(view, scopeKey(scope), includeDisabled ? 'all' : 'enabled', offset);
  if (!place) return { documents: [], total };
  const page = { ...list, ...place, descending: filter?.field !== 'expires_at', limit };
  const { documents } = await view.range('keys', page);
  return { documents, total };
}

function indexPartOf(
  { owner, id }: KeyScope,
  filter: KeyFilter | undefined,
  includeDisabled: boolean,
): IndexPart {
  const index = filter ? `${owner}_${filter.field}` : owner;
  const isByTime = filter?.field === 'expires_at';
  const equals = {
    [owner]: id,
    ...(filter && !isByTime && { [filter.field]: filter.value }),
    ...(!includeDisabled && { disabled: false }),
  };
  return {
    index,
    equals,
    ...(includeDisabled && { anyOf: [false, true] }),
    ...(isByTime && { from: filter.from, before: filter.before }),
  };
}

async function findBySkipping(
  view: View<KeyCollections>,
  list: IndexPart,
  offset: number,
): Promise<Sought> {
  const total = await view.count('keys', list);
  return { total, place: offset < total ? { skip: offset } : null };
}

async function findByRank(
  view: View<KeyCollections>,
  scope: string,
  flag: 'all' | 'enabled',
  offset: number,
): Promise<Sought> {
  const counts = (await view.get('key_counts', scope))?.[flag] ?? [];
  const place = placeOfRank(counts, offset, 'descending');
  return { total: sumOf(counts), place: place && { to: place.to, skip: place.skip } };
}

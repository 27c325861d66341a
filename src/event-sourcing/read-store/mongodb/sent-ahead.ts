import type { Document } from 'mongodb';
import type { Keys } from '../read-store.js';
import { FIRST, type OpenCollection, type Stored } from './documents.js';

/** Documents that came with the namespace's record, by collection and key. Null: there is none. */
export type SentAhead = ReadonlyMap<string, ReadonlyMap<string, Stored | null>>;

/** The found documents by collection, as the stages of `lookupsOf` add them to a record. */
export interface WithAhead {
  readonly ahead?: Readonly<Record<string, readonly Stored[]>>;
}

/** Returns aggregation stages that look documents up by their keys, in any order. */
export function lookupsOf(ahead: Keys, open: (collection: string) => OpenCollection): Document[] {
  return Object.entries(ahead).map(([collection, keys = []]) => ({
    $lookup: {
      from: open(collection).documents.collectionName,
      pipeline: [{ $match: { _id: { $in: [FIRST, ...keys] } } }],
      as: `ahead.${collection}`,
    },
  }));
}

/** Returns what the look-ups found; undefined when one of the collections was dropped. */
export function sentAhead(wanted: Keys, { ahead = {} }: WithAhead): SentAhead | undefined {
  const sent = new Map<string, ReadonlyMap<string, Stored | null>>();
  for (const [collection, keys = []] of Object.entries(wanted)) {
    const found = ahead[collection] ?? [];
    if (!found.some(({ _id }) => _id === FIRST)) return undefined;
    const byKey = new Map<string, Stored | null>(keys.map((key) => [key, null]));
    for (const one of found) byKey.set(one._id, one);
    sent.set(collection, byKey);
  }
  return sent;
}

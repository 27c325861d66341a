import type { ReadStore } from '../../../src/event-sourcing/read-store/read-store.js';
import { namespaceWith, storeWith, viewWith } from './store-with.js';

/** The index ranges that were read, with the number of documents in them. */
export interface ReadCounts {
  ranges: number;
  documents: number;
}

/** A read store that counts reads of indexes. */
export function countingReadStore(store: ReadStore, counts: ReadCounts): ReadStore {
  return storeWith(store, {
    namespace: (...args) => {
      const namespace = store.namespace(...args);
      return namespaceWith(namespace, {
        read: (read) =>
          namespace.read((view) =>
            read(
              viewWith(view, {
                range: async (collection, range) => {
                  const result = await view.range(collection, range);
                  counts.ranges += 1;
                  counts.documents += result.documents.length;
                  return result;
                },
              }),
            ),
          ),
      });
    },
  });
}

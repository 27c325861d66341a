import type { ReadStore } from '../../src/read-store/read-store.js';
import { modelWith } from './model-with.js';
import { storeWith } from './store-with.js';

/** A read store that is read in snapshots and in no other way. */
export function snapshotsAlone(store: ReadStore): ReadStore {
  const refuse = (): Promise<never> => Promise.reject(new Error('it was read outside a snapshot'));
  return storeWith(store, {
    readModel: (definition) =>
      modelWith(store.readModel(definition), {
        checkpoint: refuse,
        get: refuse,
        getMany: refuse,
        find: refuse,
        findPart: refuse,
        scan: refuse,
      }),
  });
}

import type { ReadStore } from '../../src/read-store/read-store.js';

/** A read store of which some parts behave otherwise. */
export function storeWith(store: ReadStore, otherwise: Partial<ReadStore>): ReadStore {
  return {
    readModel: (definition) => store.readModel(definition),
    fill: (definition) => store.fill(definition),
    isFilling: (definition) => store.isFilling(definition),
    ping: () => store.ping(),
    close: () => store.close(),
    ...otherwise,
  };
}

import type {
  DocumentWrite,
  ReadModelDefinition,
  ReadStore,
} from '../../src/read-store/read-store.js';

/** A store under test; `reopen` closes it and opens what it left, as a restart does. */
export interface OpenedStore {
  readonly store: ReadStore;
  reopen(): Promise<ReadStore>;
  /** The same store as another process has it open. */
  another(): Promise<ReadStore>;
  dispose(): Promise<void>;
}

export const definition = (version = 1): ReadModelDefinition => ({
  name: 'things',
  version,
  collections: {
    things: {
      indexes: {
        by_number: ['owner', 'number'],
        by_kind: ['owner', 'kind', 'number'],
        by_flag: ['flag'],
      },
      shared: ['owner'],
    },
    owners: { indexes: {} },
    named: { indexes: { by_kind: ['kind', 'number'] }, key: 'id' },
  },
});

export function thing(
  owner: string,
  number: number,
  more: Record<string, unknown> = {},
): DocumentWrite {
  const key = `${owner}/${number}`;
  return {
    collection: 'things',
    key,
    position: '1',
    document: { owner, number, ...more },
    isNew: false,
  };
}

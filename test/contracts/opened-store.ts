import { type Position, START } from '../../src/kernel/position.js';
import {
  type Change,
  type Collections,
  type Document,
  type Namespace,
  type Range,
  type ReadStore,
  StaleCheckpointError,
  type View,
} from '../../src/event-sourcing/read-store/read-store.js';

/** A store under test. */
export interface OpenedStore {
  readonly store: ReadStore;
  /** Closes the store and opens it again, like a restart. */
  reopen(): Promise<ReadStore>;
  /** Opens the same store like another process. */
  another(): Promise<ReadStore>;
  dispose(): Promise<void>;
}

export const THINGS = 'things.00000000.g1';

export const collections: Collections = {
  things: {
    indexes: {
      by_number: ['owner', 'number'],
      by_kind: ['owner', 'kind', 'number'],
      by_flag: ['flag', 'number'],
    },
    recurring: ['owner'],
  },
  owners: { indexes: {} },
  shown: { indexes: { by_number: ['owner', 'flag', 'number'] }, record: ['name', 'flag', 'note'] },
};

/** Opens the namespace of these suites in a store. */
export function things(store: ReadStore, name = THINGS): Namespace {
  return store.namespace(name, collections);
}

/** A change that writes a thing under a key made of its owner and number. */
export function thing(owner: string, number: number, more: Document = {}): Change {
  return {
    collection: 'things',
    key: `${owner}/${number}`,
    document: { owner, number, ...more },
    isNew: false,
  };
}

/** A change that removes a thing. */
export function noThing(owner: string, number: number): Change {
  return { ...thing(owner, number), document: null };
}

/** Gives the position of the nth batch; 0 gives the start. */
export function place(batch: number): string {
  return batch === 0 ? START : String(batch).padStart(6, '0');
}

/** Writes changes that are known in advance, from the current checkpoint. */
export async function put(namespace: Namespace, ...changes: readonly Change[]): Promise<void> {
  const from = await namespace.checkpoint();
  await namespace.write(from, place(Number(from) + 1), changes);
}

/** Writes what a fold makes of the state at a checkpoint. */
export async function writeFolded(
  namespace: Namespace,
  from: Position,
  to: Position,
  fold: (view: View) => Promise<readonly Change[]>,
): Promise<void> {
  const changes = await namespace.read((view) => {
    if (view.checkpoint !== from) throw new StaleCheckpointError('the namespace');
    return fold(view);
  });
  await namespace.write(from, to, changes);
}

/** Gives the numbers of the things in a range, in its order. */
export async function numbersIn(view: View, range: Omit<Range, 'limit'> & { limit?: number }) {
  const { documents } = await view.range('things', { limit: 100, ...range });
  return documents.map(({ number }) => Number(number));
}

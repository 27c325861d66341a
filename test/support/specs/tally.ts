import { z } from 'zod';
import type { Aggregate } from '../../../src/kernel/aggregate.js';
import { defineEvent, type EventOf } from '../../../src/kernel/event.js';
import type { Documents, Projection } from '../../../src/event-sourcing/projections/projection.js';

/** A tiny aggregate and projection, for tests of the event log and the projections. */
export const tallied = defineEvent('Tallied', z.object({ name: z.string(), amount: z.number() }));

export type TallyEvent = EventOf<typeof tallied>;

export function tally(name: string, amount = 1): TallyEvent {
  return { type: 'Tallied', data: { name, amount } };
}

/** The state is the sum so far. */
export const sum: Aggregate<number, TallyEvent> = {
  streamOf: (id) => `tally-${id}`,
  events: [tallied],
  initial: 0,
  evolve: (state, event) => state + event.data.amount,
  sizeOf: () => 1,
};

interface Sum {
  readonly sum: number;
}

interface TallyCollections {
  readonly names: Sum;
  readonly totals: Sum;
}

/** A document for each name, and a document for all names, which is written last. */
export const tallies: Projection<TallyEvent, TallyCollections> = {
  name: 'tallies',
  version: 1,
  events: [tallied],
  collections: { names: { indexes: {} }, totals: { indexes: {} } },
  evolve: (documents, { data: { name, amount } }) => {
    add(documents, 'names', name, amount);
    add(documents, 'totals', 'all', amount);
  },
};

function add(
  documents: Documents<TallyCollections>,
  collection: keyof TallyCollections,
  key: string,
  amount: number,
): void {
  const before = documents.get(collection, key);
  documents.set(collection, key, { sum: (before?.sum ?? 0) + amount });
}

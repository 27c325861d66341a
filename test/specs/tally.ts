import { z } from 'zod';
import type { Aggregate } from '../../src/kernel/aggregate.js';
import { defineEvent, type EventOf, type Recorded } from '../../src/kernel/event.js';
import type { Projection } from '../../src/projections/projection.js';

/** A tiny aggregate and projection for tests of the machinery around them. */
export const tallied = defineEvent(
  'Tallied',
  1,
  z.object({ name: z.string(), amount: z.number() }),
);

export type TallyEvent = EventOf<typeof tallied>;

export function tally(name: string, amount = 1): TallyEvent {
  return { type: 'Tallied', data: { name, amount } };
}

/** Its state is the sum so far. */
export const sum: Aggregate<number, TallyEvent> = {
  events: [tallied],
  initial: 0,
  evolve: (state, event) => state + event.data.amount,
  sizeOf: () => 1,
};

/** A document for each name and one for all, which is written last. */
export const tallies: Projection<TallyEvent> = {
  name: 'tallies',
  version: 1,
  events: [tallied],
  collections: { names: { indexes: {} }, totals: { indexes: {} } },
  touches: ({ data }: Recorded<TallyEvent>) => [
    { collection: 'names', key: data.name },
    { collection: 'totals', key: 'all' },
  ],
  evolve: (lookup, { data: { name, amount } }) => [
    { collection: 'names', key: name, document: added(lookup('names', name), amount) },
    { collection: 'totals', key: 'all', document: added(lookup('totals', 'all'), amount) },
  ],
};

function added(
  before: Readonly<Record<string, unknown>> | undefined,
  amount: number,
): { sum: number } {
  const sumBefore = typeof before?.sum === 'number' ? before.sum : 0;
  return { sum: sumBefore + amount };
}

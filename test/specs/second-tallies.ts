import type { Projection } from '../../src/projections/projection.js';
import { tallies, type TallyEvent } from './tally.js';

type Evolve = Projection<TallyEvent>['evolve'];

/** Says of each document that it was folded by version 2, and adds to what version 1 left. */
export const signed: Evolve = (lookup, tally) =>
  tallies
    .evolve(lookup, tally)
    .map((change) => ({ ...change, document: { ...change.document, by: 2 } }));

/** A second version of `tallies`, which continues the first. */
export function secondTallies(evolve: Evolve = signed): Projection<TallyEvent> {
  return { ...tallies, version: 2, continuesFrom: 1, evolve };
}

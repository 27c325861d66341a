import type { DomainEvent, EventDefinition, Happened } from './event.js';

/**
 * An aggregate as data and pure functions. Its state is the fold of its stream.
 * The `decide` functions stand beside it, one for each command.
 */
export interface Aggregate<State, Event extends DomainEvent> {
  /** Every event that changes its state. Others that this release knows are passed over. */
  readonly events: readonly EventDefinition<Event['type']>[];
  readonly initial: State;
  evolve(state: State, event: Happened<Event>): State;
  /** An estimate of the memory that a state takes, in bytes; at least 1. It is called often, so its cost stays small. */
  sizeOf(state: State): number;
}

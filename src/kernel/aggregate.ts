import type { DomainEvent, EventDefinition, Happened } from './event.js';

/**
 * An aggregate as data and pure functions. The state of an aggregate is the fold of its stream.
 * The decision functions, one for each command, stand beside the aggregate.
 */
export interface Aggregate<State, Event extends DomainEvent> {
  /** Every event that changes the state. A fold skips other events that this build knows. */
  readonly events: readonly EventDefinition<Event['type']>[];
  readonly initial: State;
  evolve(state: State, event: Happened<Event>): State;
  /** Estimates the memory that a state takes, in bytes; at least 1. Must be cheap, because callers call it often. */
  sizeOf(state: State): number;
}

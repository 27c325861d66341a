import type { DomainEvent, EventDefinition, Happened } from './event.js';

/**
 * An aggregate as data and pure functions: its state is the fold of its stream.
 * `decide` functions stand beside it, one for each command.
 */
export interface Aggregate<State, Event extends DomainEvent> {
  /** Every event that changes its state. Others that this release knows are passed over. */
  readonly events: readonly EventDefinition<Event['type']>[];
  readonly initial: State;
  evolve(state: State, event: Happened<Event>): State;
  /** Roughly how many bytes of memory a state takes; at least 1. Asked often, so it does not look at all of a large one. */
  sizeOf(state: State): number;
}

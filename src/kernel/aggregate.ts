import type { DomainEvent, EventDefinition, Happened } from './event.js';

/** A state as the fold of events, as data and pure functions. */
export interface Foldable<State, Event extends DomainEvent> {
  /** Every event that changes the state. A fold skips other events that this build knows. */
  readonly events: readonly EventDefinition<Event['type']>[];
  readonly initial: State;
  evolve(state: State, event: Happened<Event>): State;
}

/**
 * An aggregate: its state is the fold of its stream. It alone names its streams, so a stream has
 * one aggregate. The decision functions, one for each command, stand beside it.
 */
export interface Aggregate<State, Event extends DomainEvent> extends Foldable<State, Event> {
  /** Returns the name of the stream of one of these aggregates. */
  streamOf(id: string): string;
  /**
   * Estimates the memory that a state takes, in bytes; at least 1. Infinity for a state that need
   * not be kept in memory. Must be cheap, because callers call it often.
   */
  sizeOf(state: State): number;
}

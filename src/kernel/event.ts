import type { EventMetadata } from './metadata.js';
import type { Position } from './position.js';

/** A domain event as `decide` gives it: a fact, not yet stored. */
export interface DomainEvent<Type extends string = string, Data = unknown> {
  readonly type: Type;
  readonly data: Data;
}

/**
 * The storage contract of one event: explicit name, version and schema. None of the three changes once an
 * event of it was stored; a new shape is a new version with an upcaster.
 */
export interface EventDefinition<Type extends string = string, Data = unknown> {
  readonly type: Type;
  readonly version: number;
  readonly schema: { parse(input: unknown): Data };
}

/** Declares an event. @param version counts from 1. */
export function defineEvent<Type extends string, Data>(
  type: Type,
  version: number,
  schema: { parse(input: unknown): Data },
): EventDefinition<Type, Data> {
  return { type, version, schema };
}

/** The domain event that a definition describes. */
export type EventOf<Definition> =
  Definition extends EventDefinition<infer Type, infer Data> ? DomainEvent<Type, Data> : never;

/** An event with what a fold needs of its origin. */
export type Happened<Event extends DomainEvent> = Event & { readonly metadata: EventMetadata };

/** An event read back from the log, parsed and in its newest version. */
export type Recorded<Event extends DomainEvent> = Happened<Event> & {
  readonly id: string;
  readonly stream: string;
  /** Place in its stream, from 0. */
  readonly revision: number;
  readonly position: Position;
};

/** Whether an event is one of those defined, which also tells its type. */
export function isOneOf<Event extends DomainEvent>(
  definitions: readonly EventDefinition<Event['type']>[],
  event: Recorded<DomainEvent>,
): event is Recorded<Event> {
  return definitions.some((definition) => definition.type === event.type);
}

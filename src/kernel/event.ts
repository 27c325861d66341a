import type { EventMetadata } from './metadata.js';
import type { Position } from './position.js';

/** A domain event as `decide` returns it: a fact that is not stored yet. */
export interface DomainEvent<Type extends string = string, Data = unknown> {
  readonly type: Type;
  readonly data: Data;
}

/** Parses the data of an event. Throws when the data does not fit the schema. */
export interface EventSchema<Data> {
  parse(input: unknown): Data;
}

/**
 * The storage contract of a version of an event: name, version and schema, which may not change
 * once an event of this version is stored. A new shape needs the next version, with an upcaster.
 */
export interface EventDefinition<Type extends string = string, Data = unknown> {
  readonly type: Type;
  readonly version: number;
  readonly schema: EventSchema<Data>;
  /** The version before this version. Absent in version 1. */
  readonly previous?: PreviousVersion<Type>;
}

/** The previous version of an event, with the upcaster of its data to the next version. */
export interface PreviousVersion<Type extends string = string> {
  readonly definition: EventDefinition<Type>;
  /** Returns the data in the next version, by the event alone: each replay returns the same. */
  upcast(event: Recorded<DomainEvent<Type>>): unknown;
}

/** Declares the first version of an event. */
export function defineEvent<Type extends string, Data>(
  type: Type,
  schema: EventSchema<Data>,
): EventDefinition<Type, Data> {
  return { type, version: 1, schema };
}

/** Declares the next version of an event. `PreviousVersion` has the rules of `upcast`. */
export function nextVersionOf<Type extends string, Before, Data>(
  definition: EventDefinition<Type, Before>,
  schema: EventSchema<Data>,
  upcast: (event: Recorded<DomainEvent<Type, Before>>) => NoInfer<Data>,
): EventDefinition<Type, Data> {
  const { type, version } = definition;
  return { type, version: version + 1, schema, previous: { definition, upcast } };
}

export type EventOf<Definition> =
  Definition extends EventDefinition<infer Type, infer Data> ? DomainEvent<Type, Data> : never;

/** An event with the metadata that a fold reads. */
export type Happened<Event extends DomainEvent> = Event & { readonly metadata: EventMetadata };

/** An event that was read from the log and parsed. */
export type Recorded<Event extends DomainEvent> = Happened<Event> & {
  readonly id: string;
  readonly position: Position;
};

/** Whether the definitions include the type of an event. Narrows the type of the event. */
export function isOneOf<Event extends DomainEvent>(
  definitions: readonly EventDefinition<Event['type']>[],
  event: DomainEvent,
): event is Event {
  return definitions.some((definition) => definition.type === event.type);
}

import type { EventMetadata } from './metadata.js';
import type { Position } from './position.js';

/** A domain event as `decide` returns it: a fact that is not stored yet. */
export interface DomainEvent<Type extends string = string, Data = unknown> {
  readonly type: Type;
  readonly data: Data;
}

/** Parses the data of an event. Throws when the data does not fit. */
export interface EventSchema<Data> {
  parse(input: unknown): Data;
}

/**
 * The storage contract of one version of an event: name, version and schema. None of the three may change
 * after an event of this version was stored. A new shape needs the next version, with an upcaster.
 */
export interface EventDefinition<Type extends string = string, Data = unknown> {
  readonly type: Type;
  readonly version: number;
  readonly schema: EventSchema<Data>;
  /** Absent in version 1. */
  readonly previous?: PreviousVersion<Type>;
  /** Present while the previous release, which does not know this version, may still read the log. */
  readonly newInThisRelease?: NewVersion<Data>;
  /** If true, a release that does not know the event may decide as if it had not happened. If absent, it must not. */
  readonly ignorable?: true;
}

/** The previous version of an event, with the upcaster that converts its data to the next version. */
export interface PreviousVersion<Type extends string = string> {
  readonly definition: EventDefinition<Type>;
  /** Returns the data in the next version. It uses the event alone, so every replay returns the same data. */
  upcast(event: Recorded<DomainEvent<Type>>): unknown;
}

/** The mark of an event version that the previous release does not know. */
export interface NewVersion<Data> {
  /** Returns the data in the previous version; undefined, or no method, if that version cannot express the event. */
  asBefore?(data: Data): unknown;
}

/** Declares an event. @param version begins at 1. */
export function defineEvent<Type extends string, Data>(
  type: Type,
  version: number,
  schema: EventSchema<Data>,
): EventDefinition<Type, Data> {
  return { type, version, schema };
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

/**
 * Marks a version of an event that this release is the first to write. Until the operator allows it, a log server gets
 * the event in the previous version, or the decision is refused. The next release drops the mark.
 * @param asBefore see `NewVersion`.
 */
export function newInThisRelease<Type extends string, Data>(
  definition: EventDefinition<Type, Data>,
  asBefore?: (data: Data) => unknown,
): EventDefinition<Type, Data> {
  return { ...definition, newInThisRelease: asBefore ? { asBefore } : {} };
}

/** Marks an event that a release may skip in decisions if it does not know the event. The log stores the mark. */
export function ignorable<Type extends string, Data>(
  definition: EventDefinition<Type, Data>,
): EventDefinition<Type, Data> {
  return { ...definition, ignorable: true };
}

/** Returns every known version of an event, the oldest first. */
export function versionsOf(definition: EventDefinition): EventDefinition[] {
  const { previous } = definition;
  return previous ? [...versionsOf(previous.definition), definition] : [definition];
}

/** The domain event that a definition describes. */
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
  event: Recorded<DomainEvent>,
): event is Recorded<Event> {
  return definitions.some((definition) => definition.type === event.type);
}

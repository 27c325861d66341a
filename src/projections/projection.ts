import type { DomainEvent, EventDefinition, Recorded } from '../kernel/event.js';
import type { Collections } from '../read-store/read-store.js';

/** The documents of a read model. `get` gives a document with the changes of all events before, and of this event so far. */
export interface Documents {
  /** A document, which must not be changed in place. */
  get<Kept extends object>(collection: string, key: string): Kept | undefined;
  set(collection: string, key: string, document: object): void;
  /** As `set`, for a document that cannot exist yet, as the log lets it be made once. It is not looked up. */
  create(collection: string, key: string, document: object): void;
  remove(collection: string, key: string): void;
}

/**
 * A read model as data and a pure fold over the log. It knows neither store nor log.
 *
 * Documents and checkpoint are written together or not at all, so a fold sees documents of one point of the log, and may
 * compute a counter from another document.
 */
export interface Projection<Event extends DomainEvent> {
  readonly name: string;
  /** Raised whenever the fold makes other documents of the same events; they are folded anew then. */
  readonly version: number;
  /** The events it folds; others are passed over. */
  readonly events: readonly EventDefinition<Event['type']>[];
  readonly collections: Collections;
  /**
   * Changes documents as an event demands. It runs again from the start of its batch when a document that it asked for had
   * yet to be loaded, so it has no effects but these. It throws for faults alone.
   */
  evolve(documents: Documents, event: Recorded<Event>): void;
}

/** The one of this name. @throws when there is none. */
export function named(
  name: string,
  projections: readonly Projection<DomainEvent>[],
): Projection<DomainEvent> {
  const found = projections.find((projection) => projection.name === name);
  if (!found) throw new Error(`there is no projection ${name}`);
  return found;
}

/** The types of the events that a projection folds. */
export function typesOf({ events }: Projection<DomainEvent>): string[] {
  return events.map(({ type }) => type);
}

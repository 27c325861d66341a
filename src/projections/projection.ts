import type { DomainEvent, EventDefinition, Recorded } from '../kernel/event.js';
import type { Document, ReadModelDefinition } from '../read-store/read-store.js';

export interface DocumentRef {
  readonly collection: string;
  readonly key: string;
}

/** A document as it shall be after an event. */
export interface Change extends DocumentRef {
  /** Null removes it. */
  readonly document: Document | null;
}

/** The documents an event touches, as they are before it. */
export type Lookup = (collection: string, key: string) => Document | undefined;

/**
 * A read model as data and a pure fold over the log; it knows neither store nor log.
 *
 * Documents and checkpoint are written together or not at all, so a fold always sees documents of one point of
 * the log, and may compute a counter from another document.
 */
export interface Projection<Event extends DomainEvent> extends ReadModelDefinition {
  /** The events it folds; others are passed over. */
  readonly events: readonly EventDefinition<Event['type']>[];
  /**
   * Every document that `evolve` will look up or change, but for those that `creates` names. With a document that an event
   * removes goes one that stays and changes too, such as a count: it tells that the event was folded, which the removed one
   * cannot.
   */
  touches(event: Recorded<Event>): readonly DocumentRef[];
  /** Documents that `evolve` needs besides, and that only those `touches` names can tell. */
  alsoTouches?(lookup: Lookup, event: Recorded<Event>): readonly DocumentRef[];
  /**
   * Documents that cannot exist before the event, because the log let it happen once. They are not looked up,
   * which makes long replays short.
   */
  creates?(event: Recorded<Event>): readonly DocumentRef[];
  /** What changes. Documents that are not mentioned stay. */
  evolve(lookup: Lookup, event: Recorded<Event>): readonly Change[];
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

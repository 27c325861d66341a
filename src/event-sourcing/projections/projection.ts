import type { DomainEvent, EventDefinition, Recorded } from '../../kernel/event.js';
import type { Collections, NameIn } from '../read-store/read-store.js';

/** A read model's documents. `get` returns one as earlier events, and this one so far, left it. */
export interface Documents<Types> {
  /** Returns a document, which the caller must not change in place. */
  get<Name extends NameIn<Types>>(collection: Name, key: string): Types[Name] | undefined;
  set<Name extends NameIn<Types>>(collection: Name, key: string, document: Types[Name]): void;
  /** Makes a document for an event that the log allows once, so no earlier one is looked for. */
  create<Name extends NameIn<Types>>(collection: Name, key: string, document: Types[Name]): void;
  remove(collection: NameIn<Types>, key: string): void;
}

/**
 * A read model, as data and a pure fold over the log; it knows neither the store nor the log.
 * `Types` has the types of its documents, by the names of their collections.
 *
 * The engine writes documents and checkpoint together or not at all. So a fold sees all documents
 * as of one position, and may compute a counter from another document.
 */
export interface Projection<Event extends DomainEvent, Types = never> {
  readonly name: string;
  /**
   * The version of the fold. Raise it when it makes other documents of the same events: the log is
   * folded anew. It is folded anew also when the events change.
   */
  readonly version: number;
  readonly events: readonly EventDefinition<Event['type']>[];
  /** The name of a collection is unique among all projections. */
  readonly collections: Collections<Types>;
  /**
   * Changes documents as an event demands, without other effects. When a document is not loaded
   * yet, the engine loads it and calls `evolve` again for the whole batch. Throws only for faults.
   */
  evolve(documents: Documents<Types>, event: Recorded<Event>): void;
}

export function typesOf({ events }: Projection<DomainEvent>): string[] {
  return events.map(({ type }) => type);
}

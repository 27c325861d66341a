import type { DomainEvent, EventDefinition, Recorded } from '../../kernel/event.js';
import type { Collections, NameIn } from '../read-store/read-store.js';

/** The documents of a read model. `get` returns a document as the earlier events, and this event so far, left it. */
export interface Documents<Types> {
  /** Returns a document, which the caller must not change in place. */
  get<Name extends NameIn<Types>>(collection: Name, key: string): Types[Name] | undefined;
  set<Name extends NameIn<Types>>(collection: Name, key: string, document: Types[Name]): void;
  /** Makes a document for an event that the log allows only once. So no earlier one is looked for. */
  create<Name extends NameIn<Types>>(collection: Name, key: string, document: Types[Name]): void;
  remove(collection: NameIn<Types>, key: string): void;
}

/**
 * A read model, as data and a pure fold over the log. A projection knows neither the store nor the log. `Types` has the
 * type of the documents of each of its collections, by the name of the collection.
 *
 * The engine writes documents and checkpoint together or not at all. So a fold sees all documents as of one position,
 * and may compute a counter from another document.
 */
export interface Projection<Event extends DomainEvent, Types = never> {
  readonly name: string;
  /** The version of the fold, raised when the same events make other documents. The engine then folds the log anew. */
  readonly version: number;
  readonly events: readonly EventDefinition<Event['type']>[];
  /** The name of a collection is unique among all projections. */
  readonly collections: Collections<Types>;
  /**
   * Changes documents as an event demands, and has no other effect. When a document was not loaded yet, the engine
   * loads it and calls `evolve` again for every event of the batch. `evolve` throws only for faults.
   */
  evolve(documents: Documents<Types>, event: Recorded<Event>): void;
}

export function typesOf({ events }: Projection<DomainEvent>): string[] {
  return events.map(({ type }) => type);
}

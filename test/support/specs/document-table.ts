import type { DomainEvent, Recorded } from '../../../src/kernel/event.js';
import type { Change, Document } from '../../../src/event-sourcing/read-store/read-store.js';
import { metadataAt } from './metadata-at.js';

/** Documents by `collection/key`. */
export type Documents = Readonly<Record<string, Document>>;

/**
 * Gives events a place in a log of their own. Positions count from 1, and each event is an hour
 * after the one before.
 */
export function recordedInOrder<Event extends DomainEvent>(
  events: readonly Event[],
): Recorded<Event>[] {
  return events.map((event, index) => ({
    ...event,
    id: `event-${index}`,
    position: positionAt(index + 1),
    metadata: metadataAt(index),
  }));
}

export function positionAt(number: number): string {
  return String(number).padStart(4, '0');
}

/** Makes a view of a map, for a fold. */
export class DocumentTable {
  readonly #kept = new Map<string, Document>();

  get documents(): Documents {
    return Object.fromEntries(this.#kept);
  }

  /** @throws when a document with `isNew` exists already. */
  keep(changes: readonly Change[]): void {
    for (const { collection, key, document, isNew } of changes) {
      const name = `${collection}/${key}`;
      if (isNew && this.#kept.has(name)) throw new Error(`${name} exists`);
      if (document === null) this.#kept.delete(name);
      else this.#kept.set(name, frozen(document));
    }
  }

  async getMany(collection: string, keys: readonly string[]): Promise<Map<string, Document>> {
    const found = new Map<string, Document>();
    for (const key of keys) {
      const kept = this.#kept.get(`${collection}/${key}`);
      if (kept) found.set(key, kept);
    }
    return found;
  }
}

export function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

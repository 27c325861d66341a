import { expect } from '@jest/globals';
import type { DomainEvent, Recorded } from '../../src/kernel/event.js';
import type { Document, DocumentWrite, KeptDocument } from '../../src/read-store/read-store.js';
import { foldBatch } from '../../src/projections/fold-batch.js';
import type { Projection } from '../../src/projections/projection.js';
import { metadataAt } from './metadata-at.js';

/** Documents by `collection/key`. */
export type Documents = Readonly<Record<string, Document>>;

/** Gives events a place in a log of their own: positions count from 1, each an hour after the one before. */
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

/**
 * The documents after a projection folded the events one by one. Checks on the way what every projection must
 * hold: folding all of it again changes nothing, and one batch gives what many give.
 */
export async function projected<Event extends DomainEvent>(
  projection: Projection<Event>,
  ...history: readonly Event[]
): Promise<Documents> {
  const events = recordedInOrder(history);
  const oneByOne = new DocumentTable();
  for (const event of events) oneByOne.keep(await foldBatch(projection, [event], oneByOne));
  const documents = oneByOne.documents;
  const again = await foldBatch(projection, events, oneByOne);
  // Else something was removed that nothing else is changed with (docstring of `touches`).
  expect({ whatFoldingAgainChanges: again }).toEqual({ whatFoldingAgainChanges: [] });
  const inOneBatch = new DocumentTable();
  inOneBatch.keep(await foldBatch(projection, events, inOneBatch));
  expect(inOneBatch.documents).toEqual(documents);
  return documents;
}

/** What `foldBatch` needs of a read model, in a map. */
export class DocumentTable {
  readonly #kept = new Map<string, KeptDocument>();

  get documents(): Documents {
    return Object.fromEntries([...this.#kept].map(([name, { document }]) => [name, document]));
  }

  keep(writes: readonly DocumentWrite[]): void {
    for (const { collection, key, document, position } of writes) {
      if (document === null) this.#kept.delete(`${collection}/${key}`);
      else this.#kept.set(`${collection}/${key}`, { document, position });
    }
  }

  async getMany(collection: string, keys: readonly string[]): Promise<Map<string, KeptDocument>> {
    const found = new Map<string, KeptDocument>();
    for (const key of keys) {
      const kept = this.#kept.get(`${collection}/${key}`);
      if (kept) found.set(key, kept);
    }
    return found;
  }
}

import { expect } from '@jest/globals';
import type { DomainEvent } from '../../../src/kernel/event.js';
import { fold } from '../../../src/event-sourcing/projections/fold.js';
import type { Projection } from '../../../src/event-sourcing/projections/projection.js';
import { type Documents, DocumentTable, frozen, recordedInOrder } from './document-table.js';

/**
 * Gives the documents after a projection folded the events one by one. Checks that one batch gives
 * the same documents, and that no document and no event is changed in place.
 */
export async function projected<Event extends DomainEvent>(
  projection: Projection<Event>,
  ...history: readonly Event[]
): Promise<Documents> {
  const events = recordedInOrder(history).map(frozen);
  const oneByOne = new DocumentTable();
  for (const event of events) oneByOne.keep(await fold(projection, [event], oneByOne));
  const inOneBatch = new DocumentTable();
  inOneBatch.keep(await fold(projection, events, inOneBatch));
  expect(inOneBatch.documents).toEqual(oneByOne.documents);
  return oneByOne.documents;
}

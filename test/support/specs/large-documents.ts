import type { Projection } from '../../../src/event-sourcing/projections/projection.js';
import { tallied, type TallyEvent } from './tally.js';

const DOCUMENTS = 500;
const BYTES_OF_A_CHARACTER = 3;

/**
 * Folds each event into 500 documents of its own, which have as many bytes together as the event
 * says.
 */
export const largeDocuments: Projection<TallyEvent, { documents: { readonly text: string } }> = {
  name: 'large',
  version: 1,
  events: [tallied],
  collections: { documents: { indexes: {} } },
  evolve: (documents, { data: { name, amount } }) => {
    const text = '語'.repeat(amount / DOCUMENTS / BYTES_OF_A_CHARACTER);
    for (let count = 0; count < DOCUMENTS; count++) {
      const key = `${name}-${count}`;
      documents.get('documents', key);
      documents.set('documents', key, { text });
    }
  },
};

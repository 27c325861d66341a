import type { Projection } from '../../../event-sourcing/projections/projection.js';
import { addedUsage, type KeyUsage, withUsage } from '../domain/key-usage.js';
import { type UsageEvent, usageEvents } from '../domain/usage.events.js';
import { sumsIn } from '../domain/usage-sums.js';

export interface KeyUsageCollections {
  readonly key_usage: KeyUsage;
}

/** The use of each key, by the hash of the key. A key that was never used has no document. */
export const keyUsage: Projection<UsageEvent, KeyUsageCollections> = {
  name: 'key-usage',
  version: 4,
  events: usageEvents,
  collections: { key_usage: { indexes: {} } },
  evolve: (documents, event) => {
    for (const added of addedUsage(sumsIn(event))) {
      const before = documents.get('key_usage', added.hash);
      documents.set('key_usage', added.hash, withUsage(before, added));
    }
  },
};

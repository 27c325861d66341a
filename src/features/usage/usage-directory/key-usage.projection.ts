import type { Documents, Projection } from '../../../event-sourcing/projections/projection.js';
import type { Recorded } from '../../../kernel/event.js';
import { addedUsage, type KeyUsage, withUsage } from '../domain/key-usage.js';
import { type UsageEvent, usageEvents } from '../domain/usage.events.js';
import { sumsIn } from '../domain/usage-sums.js';

export interface KeyUsageDocument extends KeyUsage, Record<string, unknown> {}

/** The use of each key, by the hash of the key. A key that was never used has no document. */
export const keyUsage: Projection<UsageEvent> = {
  name: 'key-usage',
  version: 3,
  events: usageEvents,
  collections: { keys: { indexes: {} } },
  evolve(documents: Documents, event: Recorded<UsageEvent>): void {
    for (const added of addedUsage(sumsIn(event))) {
      const before = documents.get<KeyUsage>('keys', added.hash);
      documents.set('keys', added.hash, withUsage(before, added));
    }
  },
};

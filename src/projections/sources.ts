import type { EventLog } from '../event-log/event-log.js';
import type { EventRegistry } from '../event-log/event-registry.js';
import type { ReadStore } from '../read-store/read-store.js';

/** What a fold works with. */
export interface Sources {
  readonly log: EventLog;
  readonly registry: EventRegistry;
  readonly store: ReadStore;
}

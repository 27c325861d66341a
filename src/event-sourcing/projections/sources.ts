import type { EventLog } from '../event-log/event-log.js';
import type { EventRegistry } from '../event-log/event-registry.js';
import type { ReadStore } from '../read-store/read-store.js';

/** The log that a fold reads, the registry that decodes its events, and the store that it writes to. */
export interface Sources {
  readonly log: EventLog;
  readonly registry: EventRegistry;
  readonly store: ReadStore;
}

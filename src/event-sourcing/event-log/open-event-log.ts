import { openEmbeddedLog } from './embedded-event-log.js';
import type { EventLog } from './event-log.js';
import type { EmbeddedLogOptions } from './sharing.js';

export interface EventLogPlace {
  readonly dataDir: string;
  /** Undefined when the log is embedded. */
  readonly eventStoreDbConnectionString: string | undefined;
  /** The first part of each stream name on the log server. Default: `keyledger`. */
  readonly eventStoreDbStreamPrefix?: string | undefined;
}

/** Opens the event log for the calling thread, embedded or on a server. @throws an Error that names what failed. */
export async function openEventLog(
  place: EventLogPlace,
  embedded: EmbeddedLogOptions = {},
): Promise<EventLog> {
  const { dataDir, eventStoreDbConnectionString, eventStoreDbStreamPrefix } = place;
  if (eventStoreDbConnectionString === undefined) return openEmbeddedLog(dataDir, embedded);
  // Loaded only here, because the client of the server is large and the embedded log does not need it.
  const { EventStoreDbEventLog } = await import('./eventstoredb/eventstoredb-event-log.js');
  return new EventStoreDbEventLog(eventStoreDbConnectionString, {
    ...(eventStoreDbStreamPrefix !== undefined && { streamPrefix: eventStoreDbStreamPrefix }),
  });
}

import { type EmbeddedLogObserver, openEmbeddedLog } from './embedded-event-log.js';
import type { EventLog } from './event-log.js';

export interface EventLogPlace {
  readonly dataDir: string;
  /** Absent: the log is embedded. */
  readonly eventStoreDbConnectionString: string | undefined;
  /** With which the names of streams on the server begin. Absent: the usual one. */
  readonly eventStoreDbStreamPrefix?: string | undefined;
}

export interface OpenLogOptions {
  /** Whether another thread keeps the embedded log one file. Default: commits do. */
  readonly leavesWriteAhead?: boolean;
  readonly embeddedLogObserver?: EmbeddedLogObserver | undefined;
  /** Files that must stay where they are while the embedded log is written, besides its own. */
  readonly guards?: readonly string[] | undefined;
  /** Is told when a subscription to a server was lost, and when it was regained. */
  readonly onLost?: (error: unknown) => void;
  readonly onRegained?: () => void;
}

/** Opens the event log, embedded or on a server, for a thread of its own. @throws naming what cannot be opened. */
export async function openEventLog(
  place: EventLogPlace,
  options: OpenLogOptions = {},
): Promise<EventLog> {
  const { dataDir, eventStoreDbConnectionString, eventStoreDbStreamPrefix } = place;
  if (eventStoreDbConnectionString === undefined) {
    const role = options.leavesWriteAhead ? 'appends' : 'by-itself';
    return openEmbeddedLog(dataDir, role, options.embeddedLogObserver, options.guards);
  }
  // Loaded only now: the client of the server is large, and the embedded log does without it.
  const { EventStoreDbEventLog } = await import('./eventstoredb/eventstoredb-event-log.js');
  return new EventStoreDbEventLog(eventStoreDbConnectionString, {
    ...(eventStoreDbStreamPrefix !== undefined && { streamPrefix: eventStoreDbStreamPrefix }),
    observer: {
      lost: (error) => options.onLost?.(error),
      regained: () => options.onRegained?.(),
    },
  });
}

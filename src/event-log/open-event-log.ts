import { type EmbeddedLogObserver, openEmbeddedLog } from './embedded-event-log.js';
import type { EventLog } from './event-log.js';
import type { LogServer } from './eventstoredb/server-version.js';
import type { Checkpoints } from './sqlite/checkpoints.js';

export interface EventLogPlace {
  readonly dataDir: string;
  /** Absent: the log is embedded. */
  readonly eventStoreDbConnectionString: string | undefined;
  /** The first part of the names of streams on the server. Absent: `keyledger`. */
  readonly eventStoreDbStreamPrefix?: string | undefined;
}

export interface OpenLogOptions {
  /** Who checkpoints the embedded log. Default: commits do. */
  readonly checkpoints?: Checkpoints;
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
    const { checkpoints = 'by-commits', embeddedLogObserver, guards } = options;
    return openEmbeddedLog(dataDir, checkpoints, embeddedLogObserver, guards);
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

/**
 * Asks the server of the event log for its version. @returns undefined for the embedded log.
 * @throws Unavailable when no answer comes within three seconds; Denied when the server refuses.
 */
export async function askLogServer({
  eventStoreDbConnectionString,
}: EventLogPlace): Promise<LogServer | undefined> {
  if (eventStoreDbConnectionString === undefined) return undefined;
  const { askServerVersion } = await import('./eventstoredb/server-version.js');
  return askServerVersion(eventStoreDbConnectionString);
}

/** Asks the server of the event log for the time, to a second. @returns null where it tells none. @throws when it does not answer. */
export async function askLogServerClock(
  connectionString: string,
  withinMs: number,
): Promise<Date | null> {
  const { askServerClock } = await import('./eventstoredb/server-clock.js');
  return askServerClock(connectionString, withinMs);
}

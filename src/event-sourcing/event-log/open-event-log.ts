import { openEmbeddedLog } from './embedded-event-log.js';
import type { Position } from '../../kernel/position.js';
import type { EventLog } from './event-log.js';
import type { EmbeddedLogOptions } from './connection-roles.js';

export interface EventLogPlace {
  /**
   * The name of a log beside the first one. It is the name of its file, and stands before the
   * prefix of its streams. Default: the first log.
   */
  readonly log?: string | undefined;
  readonly dataDir: string;
  /** Undefined when the log is embedded. */
  readonly eventStoreDbConnectionString: string | undefined;
  /** The first part of each stream name on the log server. Default: `keyledger`. */
  readonly eventStoreDbStreamPrefix?: string | undefined;
}

/**
 * Opens the event log for the calling thread, embedded or on a server.
 * @param reached returns a known position of the log, from where its end on a server is searched.
 * @throws an Error that names what failed.
 */
export async function openEventLog(
  place: EventLogPlace,
  embedded: EmbeddedLogOptions,
  reached: () => Promise<Position>,
): Promise<EventLog> {
  const { log, dataDir, eventStoreDbConnectionString, eventStoreDbStreamPrefix } = place;
  const part = `${log ?? 'event'} log`;
  if (eventStoreDbConnectionString === undefined) {
    return openEmbeddedLog(dataDir, embedded, log, part);
  }
  // Loaded only here, because the server's client is large and the embedded log does without it.
  const { EventStoreDbEventLog, STREAM_PREFIX } =
    await import('./eventstoredb/eventstoredb-event-log.js');
  const prefix = eventStoreDbStreamPrefix ?? STREAM_PREFIX;
  const streamPrefix = log === undefined ? prefix : `${log}:${prefix}`;
  return new EventStoreDbEventLog(eventStoreDbConnectionString, streamPrefix, reached, part);
}

import Database from 'better-sqlite3';
import { EventStoreDBClient } from '@eventstore/db-client';
import { join } from 'node:path';
import { openEmbeddedLog } from '../../../src/event-sourcing/event-log/embedded-event-log.js';
import type { RecordedEvent } from '../../../src/event-sourcing/event-log/event-log.js';
import { STREAM_PREFIX } from '../../../src/event-sourcing/event-log/eventstoredb/eventstoredb-event-log.js';
import { OwnStreams } from '../../../src/event-sourcing/event-log/eventstoredb/stored-form.js';
import {
  COLUMNS,
  recordedEvent,
  type Row,
} from '../../../src/event-sourcing/event-log/sqlite/stored-form.js';
import { readSettings } from '../../../src/host/settings/settings.js';

/**
 * Gives every event of the log in order, with its stream. Creates an embedded log that does not
 * exist.
 * @param settings as environment variables.
 */
export async function storedEvents(
  settings: Readonly<Record<string, string>>,
): Promise<RecordedEvent[]> {
  const {
    EVENTSTOREDB_CONNECTION_STRING: connection,
    EVENTSTOREDB_STREAM_PREFIX: prefix = STREAM_PREFIX,
    DATA_DIR,
  } = readSettings(settings);
  if (connection !== undefined) return onServer(connection, new OwnStreams(prefix));
  await openEmbeddedLog(DATA_DIR).close();
  return embedded(join(DATA_DIR, 'events.db'));
}

function embedded(file: string): RecordedEvent[] {
  const db = new Database(file, { readonly: true });
  try {
    return db
      .prepare<[], Row>(`SELECT ${COLUMNS} FROM events ORDER BY position`)
      .raw()
      .all()
      .map(recordedEvent);
  } finally {
    db.close();
  }
}

async function onServer(connectionString: string, streams: OwnStreams): Promise<RecordedEvent[]> {
  const client = EventStoreDBClient.connectionString(connectionString);
  try {
    const events: RecordedEvent[] = [];
    for await (const { event } of client.readAll()) {
      if (event && streams.isOurs(event)) events.push(streams.recordedEvent(event));
    }
    return events;
  } finally {
    await client.dispose();
  }
}

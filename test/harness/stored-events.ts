import { join } from 'node:path';
import type { RecordedEvent } from '../../src/event-log/event-log.js';
import { SqliteEventLog } from '../../src/event-log/sqlite/sqlite-event-log.js';
import { START } from '../../src/kernel/position.js';

/** Everything that the embedded event log of a data directory holds, in log order. */
export async function storedEvents(dataDir: string): Promise<RecordedEvent[]> {
  const log = new SqliteEventLog(join(dataDir, 'events.db'));
  try {
    const events: RecordedEvent[] = [];
    for await (const batch of log.readAll(START)) events.push(...batch.events);
    return events;
  } finally {
    await log.close();
  }
}

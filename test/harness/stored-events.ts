import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { EVENT_LOG, type EventLog, type RecordedEvent } from '../../src/event-log/event-log.js';
import { EventLogModule } from '../../src/event-log/event-log.module.js';
import { START } from '../../src/kernel/position.js';
import { readSettings } from '../../src/settings/settings.js';

/** Everything that the event log holds, in log order. @param settings as environment variables. */
export async function storedEvents(
  settings: Readonly<Record<string, string>>,
): Promise<RecordedEvent[]> {
  const root = EventLogModule.register({ ...readSettings(settings), foldedElsewhere: false }, []);
  const context = await NestFactory.createApplicationContext(root, { logger: false });
  try {
    const events: RecordedEvent[] = [];
    const log = context.get<EventLog>(EVENT_LOG);
    for await (const batch of log.readAll(START)) events.push(...batch.events);
    return events;
  } finally {
    await context.close();
  }
}

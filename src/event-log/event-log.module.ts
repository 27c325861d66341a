import {
  type DynamicModule,
  Inject,
  Logger,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { CLOCK, type Clock } from '../kernel/clock.js';
import type { EventDefinition } from '../kernel/event.js';
import { DecisionRunner } from './decision-runner.js';
import { type EmbeddedLogObserver, openEmbeddedLog } from './embedded-event-log.js';
import { EVENT_LOG, type EventLog } from './event-log.js';
import { EventRegistry } from './event-registry.js';

export interface EventLogSettings {
  readonly dataDir: string;
  /** Absent: the log is embedded. */
  readonly eventStoreDbConnectionString: string | undefined;
  /** Another thread follows the embedded log, to fold it. */
  readonly foldedElsewhere: boolean;
  readonly embeddedLogObserver?: EmbeddedLogObserver | undefined;
  /** Files that must stay where they are while the embedded log is written, besides its own. */
  readonly guards?: readonly string[];
}

/** Provides the event log and what writes to it. One of the two modules that name a backend. */
@Module({})
export class EventLogModule implements OnApplicationShutdown {
  constructor(@Inject(EVENT_LOG) private readonly log: EventLog) {}

  /** @param events every event that the features can store. */
  static register(settings: EventLogSettings, events: readonly EventDefinition[]): DynamicModule {
    return {
      module: EventLogModule,
      global: true,
      providers: [
        { provide: EVENT_LOG, useFactory: () => openLog(settings) },
        { provide: EventRegistry, useFactory: () => new EventRegistry(events) },
        { provide: CLOCK, useValue: { now: () => new Date() } satisfies Clock },
        {
          provide: DecisionRunner,
          inject: [EVENT_LOG, EventRegistry, CLOCK],
          useFactory: (log: EventLog, registry: EventRegistry, clock: Clock) =>
            new DecisionRunner(log, registry, clock),
        },
      ],
      exports: [EVENT_LOG, EventRegistry, CLOCK, DecisionRunner],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.log.close();
  }
}

async function openLog(settings: EventLogSettings): Promise<EventLog> {
  const { eventStoreDbConnectionString, dataDir, foldedElsewhere } = settings;
  if (eventStoreDbConnectionString !== undefined)
    return openServerLog(eventStoreDbConnectionString);
  const role = foldedElsewhere ? 'appends' : 'by-itself';
  return openEmbeddedLog(dataDir, role, settings.embeddedLogObserver, settings.guards);
}

async function openServerLog(connectionString: string): Promise<EventLog> {
  // Loaded only now: the client of the server is large, and the embedded log does without it.
  const { EventStoreDbEventLog } = await import('./eventstoredb/eventstoredb-event-log.js');
  const logger = new Logger('event-log');
  return new EventStoreDbEventLog(connectionString, {
    observer: {
      lost: (error) => logger.warn({ msg: 'a subscription to the event log was lost', err: error }),
      // A warning, though nothing is wrong: what Nest takes for information is not shown.
      regained: () => logger.warn({ msg: 'a subscription to the event log was regained' }),
    },
  });
}

import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import type { EventDefinition } from '../../kernel/event.js';
import { DecisionRunner } from '../decisions/decision-runner.js';
import { EVENT_LOG, type EventLog } from './event-log.js';
import { EventRegistry } from './event-registry.js';
import { type EventLogPlace, openEventLog } from './open-event-log.js';
import type { EmbeddedLogOptions } from './sharing.js';

export type EventLogSettings = EventLogPlace & EmbeddedLogOptions;

/** Provides the event log, the event registry and the decision runner. */
@Module({})
export class EventLogModule implements OnApplicationShutdown {
  constructor(@Inject(EVENT_LOG) private readonly log: EventLog) {}

  /** @param events every event that the features can store. */
  static register(settings: EventLogSettings, events: readonly EventDefinition[]): DynamicModule {
    return {
      module: EventLogModule,
      global: true,
      providers: [
        { provide: EVENT_LOG, useFactory: () => openEventLog(settings, settings) },
        {
          provide: EventRegistry,
          useFactory: () => new EventRegistry(events),
        },
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

  onApplicationShutdown(): Promise<void> {
    return this.log.close();
  }
}

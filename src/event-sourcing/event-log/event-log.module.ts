import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import type { EventDefinition } from '../../kernel/event.js';
import { DecisionRunner } from '../decisions/decision-runner.js';
import type { Tokens } from '../sides.js';
import type { EventLog } from './event-log.js';
import { EventRegistry } from './event-registry.js';
import { type EventLogPlace, openEventLog } from './open-event-log.js';
import type { EmbeddedLogOptions } from './sharing.js';

export type EventLogSettings = EventLogPlace & EmbeddedLogOptions;

const OWN_LOG = Symbol('OwnLog');

/** Provides an event log, the registry of its events and the runner of its decisions. */
@Module({})
export class EventLogModule implements OnApplicationShutdown {
  constructor(@Inject(OWN_LOG) private readonly log: EventLog) {}

  /** @param events every event that the log can store. */
  static register(
    settings: EventLogSettings,
    events: readonly EventDefinition[],
    { log, registry, runner }: Tokens,
  ): DynamicModule {
    return {
      module: EventLogModule,
      global: true,
      providers: [
        { provide: log, useFactory: () => openEventLog(settings, settings) },
        { provide: OWN_LOG, useExisting: log },
        { provide: registry, useFactory: () => new EventRegistry(events) },
        {
          provide: runner,
          inject: [log, registry, CLOCK],
          useFactory: (opened: EventLog, registered: EventRegistry, clock: Clock) =>
            new DecisionRunner(opened, registered, clock),
        },
      ],
      exports: [log, registry, runner],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.log.close();
  }
}

import {
  type DynamicModule,
  Inject,
  Logger,
  Module,
  type BeforeApplicationShutdown,
} from '@nestjs/common';
import { EVENT_LOG, type EventLog } from '../event-log/event-log.js';
import { EventRegistry } from '../event-log/event-registry.js';
import type { DomainEvent } from '../kernel/event.js';
import { READ_STORE, type ReadStore } from '../read-store/read-store.js';
import { Maintenance } from './maintenance.js';
import type { Projection } from './projection.js';
import { Projections } from './projections.js';
import { ReadYourWrites } from './read-your-writes.js';

/** Provides what keeps the read models up to date. */
@Module({})
export class ProjectionsModule implements BeforeApplicationShutdown {
  constructor(@Inject(Projections) private readonly projections: Projections) {}

  static register(
    projections: readonly Projection<DomainEvent>[],
    readYourWritesTimeoutMs: number,
  ): DynamicModule {
    const logger = new Logger('projections');
    return {
      module: ProjectionsModule,
      global: true,
      providers: [
        {
          provide: Projections,
          inject: [EVENT_LOG, EventRegistry, READ_STORE],
          useFactory: (log: EventLog, registry: EventRegistry, store: ReadStore) =>
            new Projections(projections, log, registry, store, ({ projection, error }) =>
              logger.error({ msg: `projection ${projection} is stuck`, projection, err: error }),
            ),
        },
        {
          provide: Maintenance,
          inject: [EVENT_LOG, EventRegistry, READ_STORE],
          useFactory: (log: EventLog, registry: EventRegistry, store: ReadStore) =>
            new Maintenance(projections, { log, registry, store }),
        },
        {
          provide: ReadYourWrites,
          inject: [EVENT_LOG, Projections],
          useFactory: (log: EventLog, all: Projections) =>
            new ReadYourWrites(log, all, readYourWritesTimeoutMs),
        },
      ],
      exports: [Projections, Maintenance, ReadYourWrites],
    };
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.projections.stop();
  }
}

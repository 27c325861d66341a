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
import type { RebuildNews } from './outdated-projections.js';
import type { Projection } from './projection.js';
import { Projections } from './projections.js';
import type { ProjectorNews } from './projector-state.js';
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
            new Projections(
              projections,
              log,
              registry,
              store,
              (news) => logNews(logger, news),
              (news) => logRebuild(logger, news),
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

function logNews(logger: Logger, news: ProjectorNews): void {
  const { projection } = news;
  if (news.state === 'stuck') {
    logger.error({ msg: `projection ${projection} is stuck`, projection, err: news.error });
  } else {
    logger.warn({ msg: `projection ${projection} goes on`, projection });
  }
}

/** As warnings where nothing is wrong: what Nest takes for information is not shown. */
function logRebuild(logger: Logger, news: RebuildNews): void {
  const { projection } = news;
  if (news.state === 'begun') {
    const { from, to } = news;
    const msg = `projection ${projection} is being rebuilt; what version ${from} left serves on`;
    logger.warn({ msg, projection, from, to });
  } else if (news.state === 'done') {
    const { events, seconds } = news;
    logger.warn({ msg: `projection ${projection} was rebuilt`, projection, events, seconds });
  } else {
    const { error } = news;
    logger.error({ msg: `projection ${projection} could not be rebuilt`, projection, err: error });
  }
}

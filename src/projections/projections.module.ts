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
import type { ProjectionObserver } from './projection-observer.js';
import { Projections } from './projections.js';
import type { ProjectorNews } from './projector-state.js';
import { Projectors } from './projectors.js';
import { ReadYourWrites } from './read-your-writes.js';
import { type FoldingThread, ProjectionThread } from './thread/projection-thread.js';

/** Provides what keeps the read models up to date. */
@Module({})
export class ProjectionsModule implements BeforeApplicationShutdown {
  constructor(@Inject(Projections) private readonly projections: Projections) {}

  /** @param beginThread begins one that keeps them up to date in place of this one. */
  static register(
    projections: readonly Projection<DomainEvent>[],
    readYourWritesTimeoutMs: number,
    beginThread?: () => FoldingThread,
  ): DynamicModule {
    const logger = new Logger('projections');
    const observer: ProjectionObserver = {
      tell: (news) => logNews(logger, news),
      onRebuild: (news) => logRebuild(logger, news),
    };
    return {
      module: ProjectionsModule,
      global: true,
      providers: [
        {
          provide: Projections,
          inject: [EVENT_LOG, EventRegistry, READ_STORE],
          useFactory: (log: EventLog, registry: EventRegistry, store: ReadStore) =>
            new Projections(
              beginThread
                ? new ProjectionThread(beginThread, projections, store, observer)
                : new Projectors(projections, { log, registry, store }, observer),
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
  } else if (news.state === 'live') {
    logger.warn({ msg: `projection ${projection} goes on`, projection });
  } else {
    const { generation } = news;
    const msg = `projection ${projection} is read from generation ${generation}, which was rebuilt`;
    logger.warn({ msg, projection, generation });
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

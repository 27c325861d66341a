import { type BeforeApplicationShutdown, type DynamicModule, Logger, Module } from '@nestjs/common';
import { EVENT_LOG, type EventLog } from '../event-log/event-log.js';
import { EventRegistry } from '../event-log/event-registry.js';
import type { DomainEvent } from '../../kernel/event.js';
import { READ_STORE, type ReadStore } from '../read-store/read-store.js';
import { Engine } from './engine.js';
import { Generations } from './generations.js';
import { Maintenance } from './maintenance.js';
import { feedLease } from './names.js';
import type { Projection } from './projection.js';
import { type MakeDriver, Projections } from './projections.js';
import { ReadModels } from './read-model.js';
import { ReadYourWrites } from './read-your-writes.js';
import type { ProjectionNews } from './standing.js';
import { type FoldingThread, ProjectionThread } from './thread/projection-thread.js';

/** Provides the classes that keep the read models up to date, and the classes that read the read models. */
@Module({})
export class ProjectionsModule implements BeforeApplicationShutdown {
  constructor(private readonly projections: Projections) {}

  /** @param beginThread starts a thread that folds the projections. Without it, this thread folds them. */
  static register(
    projections: readonly Projection<DomainEvent>[],
    readYourWritesTimeoutMs: number,
    beginThread?: () => FoldingThread,
  ): DynamicModule {
    const logger = new Logger('projections');
    const ports = [EVENT_LOG, EventRegistry, READ_STORE];
    return {
      module: ProjectionsModule,
      global: true,
      providers: [
        {
          provide: Generations,
          inject: [READ_STORE],
          useFactory: (store: ReadStore) => new Generations(store, feedLease(projections)),
        },
        {
          provide: Projections,
          inject: [...ports, Generations],
          useFactory: (
            log: EventLog,
            registry: EventRegistry,
            store: ReadStore,
            generations: Generations,
          ) => {
            const makeDriver: MakeDriver = (report, lose) =>
              beginThread
                ? new ProjectionThread(beginThread, report, lose, logSubscription)
                : new Engine(projections, { log, registry, store }, report);
            return new Projections(
              projections,
              (projection, generation) => generations.open(projection, generation),
              (news) => logNews(logger, news),
              makeDriver,
            );
          },
        },
        {
          provide: Maintenance,
          inject: [Projections, Generations, ...ports],
          useFactory: (
            running: Projections,
            generations: Generations,
            log: EventLog,
            registry: EventRegistry,
            store: ReadStore,
          ) => new Maintenance(projections, running, generations, { log, registry, store }),
        },
        {
          provide: ReadYourWrites,
          inject: [EVENT_LOG, Projections],
          useFactory: (log: EventLog, running: Projections) =>
            new ReadYourWrites(log, running, readYourWritesTimeoutMs),
        },
        {
          provide: ReadModels,
          inject: [Projections, ReadYourWrites],
          useFactory: (running: Projections, readYourWrites: ReadYourWrites) =>
            new ReadModels(running, readYourWrites),
        },
      ],
      exports: [Projections, Maintenance, ReadYourWrites, ReadModels],
    };
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.projections.stop();
  }
}

/** @param lost why the subscription of the folding thread was lost; null when it was regained. */
function logSubscription(lost: unknown): void {
  const logger = new Logger('event-log');
  if (lost === null) logger.log({ msg: 'a subscription to the event log was regained' });
  else logger.warn({ msg: 'a subscription to the event log was lost', err: lost });
}

function logNews(logger: Logger, news: ProjectionNews): void {
  const { projection } = news;
  switch (news.kind) {
    case 'stuck':
      logger.error({ msg: `projection ${projection} is stuck`, projection, err: news.error });
      return;
    case 'stalled':
      logger.error({ msg: `projection ${projection} is stalled`, projection, err: news.error });
      return;
    case 'goes-on':
      logger.log({ msg: `projection ${projection} continues`, projection });
      return;
    case 'switched': {
      const { generation } = news;
      const msg = `projection ${projection} is read from generation ${generation}, which was rebuilt`;
      logger.log({ msg, projection, generation });
      return;
    }
    case 'repeats':
      logger.warn({ msg: `projection ${projection}: ${news.repeats}`, projection });
      return;
    case 'degraded':
      logger.error({ msg: `projection ${projection}: ${news.problem}`, projection });
      return;
  }
}

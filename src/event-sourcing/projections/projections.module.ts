import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Inject,
  Logger,
  Module,
} from '@nestjs/common';
import type { EventLog } from '../event-log/event-log.js';
import type { EventRegistry } from '../event-log/event-registry.js';
import { READ_STORE, type ReadStore } from '../read-store/read-store.js';
import type { Tokens } from '../sides.js';
import { Engine } from './engine.js';
import { Generations } from './generations.js';
import { Maintenance } from './maintenance.js';
import { type MakeDriver, ReadModels } from './read-models.js';
import type { ReadSide } from './read-side.js';
import type { ReadSideNews } from './standing.js';
import { type FoldingThread, ProjectionThread } from './thread/projection-thread.js';

const OWN_MODELS = Symbol('OwnReadModels');

/** Provides the read models of a read side, which it keeps up to date, and the tasks of an operator. */
@Module({})
export class ProjectionsModule implements BeforeApplicationShutdown {
  constructor(@Inject(OWN_MODELS) private readonly models: ReadModels) {}

  /**
   * @param timeoutMs how long a read waits for earlier writes.
   * @param beginThread starts a thread that folds. Without it, this thread folds.
   */
  static register(
    readSide: ReadSide,
    timeoutMs: number,
    { log: ownLog, registry: ownRegistry, models: ownModels, maintenance }: Tokens,
    beginThread?: () => FoldingThread,
  ): DynamicModule {
    const ports = [ownLog, ownRegistry, READ_STORE];
    return {
      module: ProjectionsModule,
      global: true,
      providers: [
        {
          provide: ownModels,
          inject: ports,
          useFactory: (log: EventLog, registry: EventRegistry, store: ReadStore) => {
            const generations = new Generations(readSide, store);
            const makeDriver: MakeDriver = (report, lose) =>
              beginThread
                ? new ProjectionThread(beginThread, report, lose)
                : new Engine(readSide, { log, registry, store }, report);
            const open = (generation: number) => generations.open(generation);
            const tell = (news: ReadSideNews): void => logNews(readSide.name, news);
            return new ReadModels(readSide, { open, log, timeoutMs, makeDriver, tell });
          },
        },
        { provide: OWN_MODELS, useExisting: ownModels },
        {
          provide: maintenance,
          inject: [ownModels, ...ports],
          useFactory: (
            models: ReadModels,
            log: EventLog,
            registry: EventRegistry,
            store: ReadStore,
          ) => new Maintenance(readSide, models, { log, registry, store }),
        },
      ],
      exports: [ownModels, maintenance],
    };
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.models.stop();
  }
}

const logger = new Logger('projections');

function logNews(name: string, news: ReadSideNews): void {
  const about = { read_side: name };
  switch (news.kind) {
    case 'stuck':
    case 'stalled':
      logger.error({ msg: `read side ${name} is ${news.kind}`, ...about, err: news.error });
      return;
    case 'goes-on':
      logger.log({ msg: `read side ${name} continues`, ...about });
      return;
    case 'switched': {
      const { generation } = news;
      const msg = `read side ${name} is read from generation ${generation}, which was rebuilt`;
      logger.log({ msg, ...about, generation });
      return;
    }
    case 'degraded':
      logger.error({ msg: `read side ${name}: ${news.problem}`, ...about });
      return;
  }
}

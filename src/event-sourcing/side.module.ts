import type { Worker } from 'node:worker_threads';
import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Inject,
  Logger,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { CLOCK, type Clock } from '../kernel/clock.js';
import type { EventDefinition } from '../kernel/event.js';
import { DecisionRunner } from './decisions/decision-runner.js';
import { EventRegistry } from './event-log/event-registry.js';
import { type EventLogPlace, openEventLog } from './event-log/open-event-log.js';
import type { EmbeddedLogOptions } from './event-log/sharing.js';
import { Engine } from './projections/engine.js';
import { Generations } from './projections/generations.js';
import { Maintenance } from './projections/maintenance.js';
import { ReadModels } from './projections/read-models.js';
import type { ReadSide } from './projections/read-side.js';
import type { ReadSideNews } from './projections/standing.js';
import { ProjectionThread } from './projections/thread/projection-thread.js';
import { READ_STORE, type ReadStore } from './read-store/read-store.js';
import type { Side, Tokens } from './side.js';

export interface SideSettings {
  readonly place: EventLogPlace & EmbeddedLogOptions;
  readonly events: readonly EventDefinition[];
  readonly readSide: ReadSide;
  readonly timeoutMs: number;
  /** Starts a thread that folds. Without it, this thread folds. */
  readonly beginThread: (() => Worker) | undefined;
}

const OWN_SIDE = Symbol('OwnSide');

/** Provides a log, what decides on it, and the read models that are folded from it. A service may have several. */
@Module({})
export class SideModule implements BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(@Inject(OWN_SIDE) private readonly side: Side) {}

  /** @param tokens the names under which the side and its parts are provided. */
  static register(settings: SideSettings, { side, ...parts }: Tokens): DynamicModule {
    const names = Object.keys(parts) as (keyof typeof parts)[];
    return {
      module: SideModule,
      global: true,
      providers: [
        {
          provide: side,
          inject: [READ_STORE, CLOCK],
          useFactory: (store: ReadStore, clock: Clock) => openSide(settings, store, clock),
        },
        { provide: OWN_SIDE, useExisting: side },
        ...names.map((name) => ({
          provide: parts[name],
          inject: [side],
          useFactory: (its: Side) => its[name],
        })),
      ],
      exports: [side, ...Object.values(parts)],
    };
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.side.models.stop();
  }

  onApplicationShutdown(): Promise<void> {
    return this.side.log.close();
  }
}

async function openSide(
  { place, events, readSide, timeoutMs, beginThread }: SideSettings,
  store: ReadStore,
  clock: Clock,
): Promise<Side> {
  const registry = new EventRegistry(events);
  const generations = new Generations(readSide, store);
  const log = await openEventLog(place, place, () => generations.reached());
  const sources = { log, registry, store };
  const models = new ReadModels(readSide, {
    open: (generation) => generations.open(generation),
    log,
    timeoutMs,
    makeDriver: (report) =>
      beginThread
        ? new ProjectionThread(beginThread, report)
        : new Engine(readSide, sources, report),
    tell: (news) => logNews(readSide.name, news),
  });
  const runner = new DecisionRunner(log, registry, clock);
  const maintenance = new Maintenance(readSide, models, sources);
  return { log, registry, runner, models, maintenance };
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

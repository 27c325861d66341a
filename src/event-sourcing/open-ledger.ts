import type { Worker } from 'node:worker_threads';
import type { Clock } from '../kernel/clock.js';
import type { EventDefinition } from '../kernel/event.js';
import { DecisionRunner } from './decisions/decision-runner.js';
import { EventRegistry } from './event-log/event-registry.js';
import { type EventLogPlace, openEventLog } from './event-log/open-event-log.js';
import type { EmbeddedLogOptions } from './event-log/sharing.js';
import type { Ledger } from './ledger.js';
import { Engine } from './projections/engine.js';
import { Generations } from './projections/generations.js';
import { Maintenance } from './projections/maintenance/maintenance.js';
import { ReadModels } from './projections/read-models.js';
import type { ReadSide } from './projections/read-side.js';
import { logNews } from './projections/read-side-news.js';
import { ProjectionThread } from './projections/thread/projection-thread.js';
import type { ReadStore } from './read-store/read-store.js';

export interface LedgerSettings {
  readonly place: EventLogPlace & EmbeddedLogOptions;
  readonly events: readonly EventDefinition[];
  readonly readSide: ReadSide;
  readonly timeoutMs: number;
  /** Starts a thread that folds. Without it, this thread folds. */
  readonly beginThread: (() => Worker) | undefined;
}

/** Opens a log, and makes what decides on it and what is folded from it. */
export async function openLedger(
  { place, events, readSide, timeoutMs, beginThread }: LedgerSettings,
  store: ReadStore,
  clock: Clock,
): Promise<Ledger> {
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

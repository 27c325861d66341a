import type { Worker } from 'node:worker_threads';
import type { Clock } from '../kernel/clock.js';
import { DecisionRunner } from './decisions/decision-runner.js';
import { EventRegistry } from './event-log/event-registry.js';
import { type EventLogPlace, openEventLog } from './event-log/open-event-log.js';
import type { EmbeddedLogOptions } from './event-log/connection-roles.js';
import type { Ledger, LedgerDefinition } from './ledger.js';
import { Engine } from './projections/engine.js';
import { Generations } from './projections/generations.js';
import { Maintenance } from './projections/maintenance/maintenance.js';
import { ReadModels } from './projections/read-models.js';
import { logNotice } from './projections/read-side-notices.js';
import { ProjectionThread } from './projections/thread/projection-thread.js';
import type { ReadStore } from './read-store/read-store.js';

export interface LedgerSettings extends EmbeddedLogOptions {
  readonly place: EventLogPlace;
  /** How long a read waits for the writes before it. */
  readonly timeoutMs: number;
  /** Starts a thread that folds. Without it, this thread folds. */
  readonly beginThread: (() => Worker) | undefined;
}

export async function openLedger(
  { events, readSide }: LedgerDefinition,
  settings: LedgerSettings,
  store: ReadStore,
  clock: Clock,
): Promise<Ledger> {
  const { beginThread } = settings;
  const registry = new EventRegistry(events);
  const generations = new Generations(readSide, store);
  const log = await openEventLog(settings.place, settings, () => generations.latestPosition());
  const sources = { log, registry, store };
  const models = new ReadModels(readSide, {
    open: (generation) => generations.open(generation),
    log,
    timeoutMs: settings.timeoutMs,
    makeDriver: (report) =>
      beginThread
        ? new ProjectionThread(beginThread, report)
        : new Engine(readSide, sources, report),
    notify: (notice) => logNotice(readSide.name, notice),
  });
  const runner = new DecisionRunner(log, registry, clock);
  const maintenance = new Maintenance(readSide, models, sources);
  return { log, registry, runner, models, maintenance };
}

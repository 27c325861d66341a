import '../src/host/process/heap.js';
import 'reflect-metadata';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { AppModule } from '../src/host/assembly/app.module.js';
import { createApp } from '../src/host/assembly/application.js';
import { openLogger } from '../src/host/process/logger.js';
import { ReadModels } from '../src/event-sourcing/projections/read-models.js';
import { MANAGEMENT, USAGE } from '../src/event-sourcing/ledger.js';
import { readSettings } from '../src/host/settings/settings.js';

export interface ReplayTask {
  /** The settings of the service as environment variables. */
  readonly settings: Readonly<Record<string, string>>;
  /**
   * A log server in place of the embedded log, for a measurement of the log alone. No service runs
   * so.
   */
  readonly logServer?: string;
  /** The log that is folded. Default: that of management. */
  readonly ledger?: 'usage';
}

export interface Replayed {
  readonly events: number;
  readonly seconds: number;
  /** Over all threads. */
  readonly processorSeconds: number;
  /** The longest time in which the event loop ran no timer. */
  readonly longestPauseMs: number;
}

/** The thread program of the built service. */
const PROJECTOR = new URL('../projector-thread.js', import.meta.url);

/** Folds the whole log into empty read models, like the start of the service. */
async function replay({ settings: environment, logServer, ledger }: ReplayTask): Promise<Replayed> {
  const given = readSettings(environment);
  const settings =
    logServer === undefined ? given : { ...given, EVENTSTOREDB_CONNECTION_STRING: logServer };
  const module = AppModule.register(settings, { projector: () => PROJECTOR });
  const app = await createApp(settings, openLogger('warn').logger, module);
  const models = app.get<ReadModels>((ledger === 'usage' ? USAGE : MANAGEMENT).models);
  const pauses = monitorEventLoopDelay({ resolution: 1 });
  pauses.enable();
  const started = performance.now();
  const before = process.cpuUsage();
  models.start();
  await models.caughtUp;
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(before);
  // The timer measures a pause only after the pause has ended.
  await setTimeout(10);
  const longestPauseMs = pauses.max / 1e6;
  const events = models.state.eventsFolded;
  await app.close();
  return { events, seconds, processorSeconds: (user + system) / 1e6, longestPauseMs };
}

process.once('message', (task: ReplayTask) => {
  void replay(task).then((result) => process.send?.(result, () => process.disconnect()));
});

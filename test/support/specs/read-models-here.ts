import { Engine } from '../../../src/event-sourcing/projections/engine.js';
import { Generations } from '../../../src/event-sourcing/projections/generations.js';
import { Maintenance } from '../../../src/event-sourcing/projections/maintenance/maintenance.js';
import {
  ReadModels,
  type ReadModelsOptions,
  type ReadSideDriver,
} from '../../../src/event-sourcing/projections/read-models.js';
import type { ReadSide, Sources } from '../../../src/event-sourcing/projections/read-side.js';
import type { ReadSideNotice } from '../../../src/event-sourcing/projections/read-side-notices.js';
import type { ReadSideState } from '../../../src/event-sourcing/projections/read-side-state.js';

/** Read models that this thread keeps up to date, like a replica. */
export function readModelsHere(
  readSide: ReadSide,
  sources: Sources,
  { notify = () => undefined, timeoutMs = 0 }: HereOptions = {},
): ReadModels {
  const generations = new Generations(readSide, sources.store);
  return new ReadModels(readSide, {
    open: (generation) => generations.open(generation),
    log: sources.log,
    timeoutMs,
    makeDriver: (report) => new Engine(readSide, sources, report),
    notify,
  });
}

interface HereOptions {
  readonly notify?: (notice: ReadSideNotice) => void;
  readonly timeoutMs?: number;
}

/** The commands of an operator about a read side, like a separate process. */
export function maintenanceHere(
  readSide: ReadSide,
  sources: Sources,
  models = readModelsHere(readSide, sources),
): Maintenance {
  return new Maintenance(readSide, models, sources);
}

interface DrivenByHand {
  readonly models: ReadModels;
  /** Reports news, as an engine does. */
  readonly report: (news: Partial<ReadSideState>) => void;
}

/** Read models whose state a test reports. */
export function drivenByHand(
  readSide: ReadSide,
  options: Pick<ReadModelsOptions, 'open' | 'log'> & Pick<HereOptions, 'notify'>,
): DrivenByHand {
  const ignore = (): void => undefined;
  const driver: ReadSideDriver = {
    start: ignore,
    stop: () => Promise.resolve(),
    hurry: ignore,
  };
  let report: DrivenByHand['report'] = ignore;
  const models = new ReadModels(readSide, {
    notify: ignore,
    ...options,
    timeoutMs: 1_000,
    makeDriver: (told) => {
      report = told;
      return driver;
    },
  });
  return { models, report: (news) => report(news) };
}

import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { type Backends, freshBackends } from './backends.js';
import { madeBy } from './made-by.js';
import { type ServiceProcess, startService } from './service-process.js';
import { makeTempDirectory } from './temp-directory.js';

/** Backends for tests, and the services that they start there as processes. */
export interface Stage {
  readonly backends: Backends;
  /** Starts a service on the backends, like `startService`. */
  readonly start: (
    settings?: Readonly<Record<string, string>>,
    through?: readonly string[],
  ) => Promise<ServiceProcess>;
}

/**
 * Gives new backends to each test of a `describe`. After it, its services are killed and the
 * backends removed.
 */
export function stageOfEach(): Stage {
  return stage(beforeEach, afterEach);
}

/** Gives backends that all tests of a `describe` share. */
export function stageOfAll(): Stage {
  return stage(beforeAll, afterAll);
}

/** Gives an empty directory to each test of a `describe`, and removes it afterwards. */
export function directoryOfEach(): { readonly path: string } {
  const directory = madeBy(beforeEach, async () => makeTempDirectory());
  afterEach(() => directory.remove());
  return directory;
}

function stage(before: typeof beforeEach, after: typeof afterEach): Stage {
  const started: ServiceProcess[] = [];
  const backends = madeBy(before, freshBackends);
  after(async () => {
    await Promise.all(started.splice(0).map((service) => service.stop('SIGKILL')));
    await backends.dispose();
  });
  return {
    backends,
    start: async (settings = {}, through = []) => {
      const service = await startService({ ...backends.settings, ...settings }, through);
      started.push(service);
      return service;
    },
  };
}

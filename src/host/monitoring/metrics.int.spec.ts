import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeTempDirectory } from '../../../test/support/harness/temp-directory.js';
import { logWith } from '../../../test/support/specs/log-with.js';
import { readModelsHere } from '../../../test/support/specs/read-models-here.js';
import { TALLIES } from '../../../test/support/specs/replicas.js';
import { tallied } from '../../../test/support/specs/tally.js';
import { DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import type { EventLog } from '../../event-sourcing/event-log/event-log.js';
import { EventRegistry } from '../../event-sourcing/event-log/event-registry.js';
import { SqliteEventLog } from '../../event-sourcing/event-log/sqlite/sqlite-event-log.js';
import type { ReadModels } from '../../event-sourcing/projections/read-models.js';
import { SqliteReadStore } from '../../event-sourcing/read-store/sqlite/sqlite-read-store.js';
import { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';

describe('Metrics', () => {
  const clock = { now: () => new Date() };
  const registry = new EventRegistry([tallied]);
  let log: SqliteEventLog;
  let directory: ReturnType<typeof makeTempDirectory>;
  let store: SqliteReadStore;
  let models: ReadModels;

  beforeEach(() => {
    log = new SqliteEventLog(':memory:');
    directory = makeTempDirectory();
    store = new SqliteReadStore(directory.path);
    models = readModelsHere(TALLIES, { log, registry, store });
  });

  afterEach(async () => {
    await models.stop();
    await store.close();
    await log.close();
    directory.remove();
  });

  function metricsOf(seen: { log?: EventLog }): Metrics {
    const ledger = {
      log,
      models,
      runner: new DecisionRunner(log, registry, clock),
    };
    return new Metrics(new Readiness([ledger], store), [{ ...ledger, log: seen.log ?? log }]);
  }

  it('describe readiness and projections at the same moment', async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const slow = logWith(log, {
      head: async () => {
        await gate;
        return log.head();
      },
    });
    const scrape = metricsOf({ log: slow }).text();
    // By now every part of the scrape is answered except the head of the log.
    await nextTurn();
    models.start();
    await models.caughtUp;
    open();
    const text = await scrape;
    expect(text).toContain('keyledger_read_models_state{read_models="tallies",state="live"} 1');
    expect(text).toContain('\nkeyledger_ready 1\n');
  });

  it('tell for how long read models are out of date since a time that no earlier scrape saw', async () => {
    models.lag.noteEnd('1');
    const [, seconds] =
      /lag_seconds\{read_models="tallies"\} (.*)/.exec(await metricsOf({}).text()) ?? [];
    expect(Number(seconds)).toBeGreaterThan(0);
  });
});

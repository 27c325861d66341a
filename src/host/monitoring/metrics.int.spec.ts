import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { eventually } from '../../../test/support/harness/eventually.js';
import { makeTempDirectory } from '../../../test/support/harness/temp-directory.js';
import { logWith } from '../../../test/support/specs/log-with.js';
import { projectionsHere } from '../../../test/support/specs/projections-here.js';
import { tallied, tallies } from '../../../test/support/specs/tally.js';
import { DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import type { EventLog } from '../../event-sourcing/event-log/event-log.js';
import { EventRegistry } from '../../event-sourcing/event-log/event-registry.js';
import { SqliteEventLog } from '../../event-sourcing/event-log/sqlite/sqlite-event-log.js';
import { Generations } from '../../event-sourcing/projections/generations.js';
import { ReadYourWrites } from '../../event-sourcing/projections/read-your-writes.js';
import { SqliteReadStore } from '../../event-sourcing/read-store/sqlite/sqlite-read-store.js';
import { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';

describe('Metrics', () => {
  const clock = { now: () => new Date() };
  const registry = new EventRegistry([tallied]);
  let log: SqliteEventLog;
  let directory: ReturnType<typeof makeTempDirectory>;
  let store: SqliteReadStore;
  let projections: ReturnType<typeof projectionsHere>;

  beforeEach(() => {
    log = new SqliteEventLog(':memory:');
    directory = makeTempDirectory();
    store = new SqliteReadStore(directory.path);
    projections = projectionsHere([tallies], { log, registry, store });
  });

  afterEach(async () => {
    await projections.stop();
    await store.close();
    await log.close();
    directory.remove();
  });

  function metricsOf(seen: { log?: EventLog }): Metrics {
    return new Metrics(
      new Readiness(log, store, projections),
      projections,
      seen.log ?? log,
      clock,
      new DecisionRunner(log, registry, clock),
      new ReadYourWrites(log, projections, 0),
      null,
    );
  }

  it('describe readiness and projections at the same moment', async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const slow = logWith(log, {
      place: async (position) => {
        await gate;
        return log.place(position);
      },
    });
    const scrape = metricsOf({ log: slow }).text();
    // By now every part of the scrape is answered except the place in the log.
    await nextTurn();
    projections.start();
    await projections.caughtUp();
    open();
    const text = await scrape;
    expect(text).toContain('keyledger_projection_state{projection="tallies",state="live"} 1');
    expect(text).toContain('\nkeyledger_ready 1\n');
  });

  it('name the read models that are being rebuilt', async () => {
    const metrics = metricsOf({});
    projections.start();
    await projections.caughtUp();
    const filling = 'keyledger_projection_filling{projection="tallies"}';
    expect(await metrics.text()).toContain(`${filling} 0`);
    const other = new SqliteReadStore(directory.path);
    const next = await new Generations(other, 'another').fill(tallies);
    await next.namespace.checkpoint();
    const shows = (value: number) => async (): Promise<boolean> =>
      (await metrics.text()).includes(`${filling} ${value}`);
    await eventually('the filling is shown', shows(1));
    await other.drop(next.name);
    await next.end();
    await eventually('its end is shown', shows(0));
    await other.close();
  });
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeTempDirectory } from '../../test/harness/temp-directory.js';
import { logWith } from '../../test/specs/log-with.js';
import { projectionsHere } from '../../test/specs/projections-here.js';
import { storeWith } from '../../test/specs/store-with.js';
import { tallied, tallies } from '../../test/specs/tally.js';
import { DecisionRunner } from '../event-log/decision-runner.js';
import type { EventLog } from '../event-log/event-log.js';
import { EventRegistry } from '../event-log/event-registry.js';
import { SqliteEventLog } from '../event-log/sqlite/sqlite-event-log.js';
import { ReadYourWrites } from '../projections/read-your-writes.js';
import type { ReadStore } from '../read-store/read-store.js';
import { SqliteReadStore } from '../read-store/sqlite/sqlite-read-store.js';
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

  function metricsOf(seen: { log?: EventLog; store?: ReadStore }): Metrics {
    return new Metrics(
      new Readiness(log, store, projections),
      projections,
      seen.log ?? log,
      seen.store ?? store,
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
    // All but the place is answered by then.
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
    const filling = 'keyledger_projection_filling{projection="tallies"}';
    expect(await metrics.text()).toContain(`${filling} 0`);
    const next = await store.fill(tallies);
    expect(await metrics.text()).toContain(`${filling} 1`);
    await next.discard();
    expect(await metrics.text()).toContain(`${filling} 0`);
  });

  it('leave out values that the read store does not report', async () => {
    const mute = storeWith(store, { isFilling: () => Promise.reject(new Error('gone')) });
    const text = await metricsOf({ store: mute }).text();
    expect(text).not.toContain('keyledger_projection_filling{');
    expect(text).toContain('keyledger_projection_position{projection="tallies"} 0');
  });
});

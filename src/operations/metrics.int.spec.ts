import { expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { logWith } from '../../test/specs/log-with.js';
import { projectionsHere } from '../../test/specs/projections-here.js';
import { tallied, tallies } from '../../test/specs/tally.js';
import { DecisionRunner } from '../event-log/decision-runner.js';
import { EventRegistry } from '../event-log/event-registry.js';
import { SqliteEventLog } from '../event-log/sqlite/sqlite-event-log.js';
import { ReadYourWrites } from '../projections/read-your-writes.js';
import { SqliteReadStore } from '../read-store/sqlite/sqlite-read-store.js';
import { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';

it('says whether the service is ready as its projections are at the same moment', async () => {
  const log = new SqliteEventLog(':memory:');
  const store = new SqliteReadStore(':memory:');
  const registry = new EventRegistry([tallied]);
  const projections = projectionsHere([tallies], { log, registry, store });
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const slow = logWith(log, {
    place: async (position) => {
      await gate;
      return log.place(position);
    },
  });
  const clock = { now: () => new Date() };
  const metrics = new Metrics(
    new Readiness(log, store, projections),
    projections,
    slow,
    clock,
    new DecisionRunner(log, registry, clock),
    new ReadYourWrites(log, projections, 0),
  );
  try {
    const scrape = metrics.text();
    // All but the place is answered by then.
    await nextTurn();
    projections.start();
    await projections.caughtUp();
    open();
    const text = await scrape;
    expect(text).toContain('keyledger_projection_state{projection="tallies",state="live"} 1');
    expect(text).toContain('\nkeyledger_ready 1\n');
  } finally {
    await projections.stop();
    await store.close();
    await log.close();
  }
});

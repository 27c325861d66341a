import { Counter, Histogram, type Registry } from 'prom-client';
import type { WaitObserver } from '../../event-sourcing/projections/read-your-writes.js';
import { DURATION_BUCKETS } from './duration-buckets.js';

/** Makes the metrics of read-your-writes waits. Returns the observer that updates these metrics. */
export function readYourWritesMetrics(
  registry: Registry,
  projections: readonly string[],
): WaitObserver {
  const about = { labelNames: ['projection'], registers: [registry] };
  const waits = new Histogram({
    ...about,
    name: 'keyledger_read_your_writes_wait_seconds',
    help: 'How long reads waited until a projection had passed the head of the log.',
    buckets: DURATION_BUCKETS,
  });
  const timeouts = new Counter({
    ...about,
    name: 'keyledger_read_your_writes_timeouts_total',
    help: 'Reads whose wait took too long: served without the newest writes, or refused.',
  });
  for (const projection of projections) {
    waits.zero({ projection });
    timeouts.inc({ projection }, 0);
  }
  return (projection, seconds, settled) => {
    waits.observe({ projection }, seconds);
    if (!settled) timeouts.inc({ projection });
  };
}

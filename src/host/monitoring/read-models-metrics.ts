import { Counter, Gauge, type Registry } from 'prom-client';
import { READ_SIDE_PHASES } from '../../event-sourcing/projections/read-side-state.js';
import { inTime } from '../../event-sourcing/waiting/in-time.js';
import { distanceTo } from '../../kernel/position.js';
import { type ObservedLedger, PROBE_TIMEOUT_MS } from './readiness.js';

/**
 * Makes the metrics of the read models, and returns the function that measures them. A value that a
 * log does not deliver in time is left out, because the other values matter most when the log is
 * slow.
 */
export function readModelsMetrics(
  registry: Registry,
  ledgers: readonly ObservedLedger[],
): () => Promise<void> {
  const about = { labelNames: ['read_models'], registers: [registry] };
  const state = new Gauge({
    ...about,
    name: 'keyledger_read_models_state',
    help: '1 for the state of the read models (idle, catching-up, live, stalled, stuck), 0 for the others.',
    labelNames: ['read_models', 'state'],
  });
  const applied = new Counter({
    ...about,
    name: 'keyledger_read_models_events_applied_total',
    help: 'Events that the read models were updated with.',
  });
  const degraded = new Gauge({
    ...about,
    name: 'keyledger_read_models_degraded',
    help: '1 while the read models of some accounts are stopped, because an event cannot be read, else 0.',
  });
  const position = new Gauge({
    ...about,
    name: 'keyledger_read_models_position',
    help: 'The position up to which the read models are updated: events, or bytes with EventStoreDB.',
  });
  const behind = new Gauge({
    ...about,
    name: 'keyledger_read_models_lag',
    help: 'How far the end of the event log is ahead of the read models, in events, or in bytes with EventStoreDB.',
  });
  const age = new Gauge({
    ...about,
    name: 'keyledger_read_models_lag_seconds',
    help: 'For how long the process has known of an event that the read models have not reached.',
  });
  const measurerOf = ({ log, models }: ObservedLedger): (() => Promise<void>) => {
    const labels = { read_models: models.name };
    return async () => {
      const head = await inTime(log.head(), PROBE_TIMEOUT_MS).catch(() => null);
      const known = models.state;
      for (const phase of READ_SIDE_PHASES) {
        state.set({ ...labels, state: phase }, Number(phase === known.phase));
      }
      for (const metric of [applied, behind]) metric.remove(labels);
      applied.inc(labels, known.eventsFolded);
      degraded.set(labels, Number(known.parked > 0));
      position.set(labels, distanceTo(known.position));
      age.set(labels, models.lag.ms / 1_000);
      if (head === null) return;
      models.lag.noteEnd(head);
      behind.set(labels, Math.max(0, distanceTo(head) - distanceTo(known.position)));
    };
  };
  const measurers = ledgers.map(measurerOf);
  return async () => {
    await Promise.all(measurers.map((measure) => measure()));
  };
}

import { Counter, Histogram, type Registry } from 'prom-client';
import type { AppendObserver } from '../../event-sourcing/decisions/decision-runner.js';
import { DURATION_BUCKETS } from './duration-buckets.js';

/** Makes the metrics of appends. Returns the observer through which the decision runner reports appends. */
export function appendMetrics(registry: Registry): AppendObserver {
  const registers = [registry];
  const appends = new Histogram({
    name: 'keyledger_append_duration_seconds',
    help: 'Duration of appends to the event log by outcome: stored, conflict, failed.',
    labelNames: ['outcome'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  for (const outcome of ['stored', 'conflict', 'failed']) appends.zero({ outcome });
  const appendRetries = new Counter({
    name: 'keyledger_append_retries_total',
    help: 'Appends repeated because an attempt failed or got no answer.',
    registers,
  });
  const decisionRetries = new Counter({
    name: 'keyledger_decision_retries_total',
    help: 'Decisions repeated after a conflict.',
    registers,
  });
  return {
    appended: (outcome, seconds) => appends.observe({ outcome }, seconds),
    appendRetried: () => appendRetries.inc(),
    decisionRetried: () => decisionRetries.inc(),
  };
}

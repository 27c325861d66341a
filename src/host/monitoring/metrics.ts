import type { Server } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { AppendObserver } from '../../event-sourcing/decisions/decision-runner.js';
import { type Ledger, OPEN_LEDGERS } from '../../event-sourcing/ledger.js';
import { SharedRead } from '../../event-sourcing/waiting/shared-read.js';
import { COMMIT, VERSION } from '../../kernel/version.js';
import { readModelsMetrics } from './read-models-metrics.js';
import { DURATION_BUCKETS, requestMetrics } from './request-metrics.js';
import { Readiness } from './readiness.js';

/** The metrics for Prometheus (docs/metrics.md). Gauges are computed at each scrape. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  readonly observe = requestMetrics(this.registry);
  readonly #ready = new Gauge({
    name: 'keyledger_ready',
    help: '1 while /health/ready answers 200: the event logs and the read store answer, and the read models are live; else 0. Does not say whether writes succeed.',
    registers: [this.registry],
  });
  readonly #measureReadModels: () => Promise<void>;
  readonly #scrape = new SharedRead(() => this.#write());

  constructor(
    private readonly readiness: Readiness,
    @Inject(OPEN_LEDGERS) ledgers: readonly Pick<Ledger, 'log' | 'runner' | 'models'>[],
  ) {
    collectDefaultMetrics({ register: this.registry });
    new Gauge({
      name: 'keyledger_build_info',
      help: 'Always 1; its labels say which build runs.',
      labelNames: ['version', 'commit'],
      registers: [this.registry],
    }).set({ version: VERSION, commit: COMMIT }, 1);
    this.#measureReadModels = readModelsMetrics(this.registry, ledgers);
    const appends = appendMetrics(this.registry);
    for (const { runner } of ledgers) runner.observe(appends);
    waitMetrics(this.registry, ledgers);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Returns the metrics as text. Scrapes that arrive during another one share the next result. */
  text(): Promise<string> {
    return this.#scrape.read();
  }

  async #write(): Promise<string> {
    await this.#measureReadModels();
    const obstacles = await this.readiness.obstacles();
    this.#ready.set(obstacles.length === 0 ? 1 : 0);
    return this.registry.metrics();
  }

  observeWriteAhead(bytes: () => number): void {
    new Gauge({
      name: 'keyledger_event_log_wal_bytes',
      help: 'Length of events.db-wal and usage.db-wal, the write-ahead logs of the embedded logs; 0 on EventStoreDB.',
      registers: [this.registry],
      collect() {
        this.set(bytes());
      },
    });
  }

  observeConnections(server: Server): void {
    const refused = new Counter({
      name: 'keyledger_connections_refused_total',
      help: 'Connections closed at once, because too many were open.',
      registers: [this.registry],
    });
    server.on('drop', () => refused.inc());
  }
}

function appendMetrics(registry: Registry): AppendObserver {
  const appends = new Histogram({
    name: 'keyledger_append_duration_seconds',
    help: 'Duration of appends to the event log by outcome: stored, conflict, failed.',
    labelNames: ['outcome'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  });
  for (const outcome of ['stored', 'conflict', 'failed']) appends.zero({ outcome });
  return (outcome, seconds) => appends.observe({ outcome }, seconds);
}

function waitMetrics(registry: Registry, ledgers: readonly Pick<Ledger, 'models'>[]): void {
  const about = { labelNames: ['read_models'], registers: [registry] };
  const waits = new Histogram({
    ...about,
    name: 'keyledger_read_your_writes_wait_seconds',
    help: 'How long reads waited for earlier writes.',
    buckets: DURATION_BUCKETS,
  });
  const timeouts = new Counter({
    ...about,
    name: 'keyledger_read_your_writes_timeouts_total',
    help: 'Reads that stopped waiting and were answered from older read models, or with 503.',
  });
  for (const { models } of ledgers) {
    const labels = { read_models: models.name };
    waits.zero(labels);
    timeouts.inc(labels, 0);
    models.wait.observe((seconds, settled) => {
      waits.observe(labels, seconds);
      if (!settled) timeouts.inc(labels);
    });
  }
}

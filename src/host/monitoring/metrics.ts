import type { Server } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import { EVENT_LOG, type EventLog } from '../../event-sourcing/event-log/event-log.js';
import { WRITE_AHEAD, type WriteAheadLog } from '../../event-sourcing/event-log/write-ahead-log.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { Projections } from '../../event-sourcing/projections/projections.js';
import { ReadYourWrites } from '../../event-sourcing/projections/read-your-writes.js';
import { SharedRead } from '../../kernel/shared-read.js';
import { VERSION } from '../../kernel/version.js';
import { appendMetrics } from './append-metrics.js';
import { connectionMetrics } from './connection-metrics.js';
import { projectionMetrics } from './projection-metrics.js';
import { Readiness } from './readiness.js';
import { readYourWritesMetrics } from './read-your-writes-metrics.js';
import { RequestMetrics } from './request-metrics.js';
import { verificationMetrics, type VerificationSources } from './verification-metrics.js';
import { writeAheadMetrics } from './write-ahead-metrics.js';

/** The metrics of the service for Prometheus (docs/metrics.md). Gauges are computed at each scrape. */
@Injectable()
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new RequestMetrics(this.#registry);
  readonly #ready = new Gauge({
    name: 'keyledger_ready',
    help: '1 when the service can serve every route, else 0.',
    registers: [this.#registry],
  });
  readonly #lookAtProjections: () => Promise<() => void>;
  readonly #scrape = new SharedRead(() => this.#write());

  constructor(
    private readonly readiness: Readiness,
    projections: Projections,
    @Inject(EVENT_LOG) log: EventLog,
    @Inject(CLOCK) clock: Clock,
    runner: DecisionRunner,
    readYourWrites: ReadYourWrites,
    @Inject(WRITE_AHEAD) writeAhead: WriteAheadLog | null,
  ) {
    collectDefaultMetrics({ register: this.#registry });
    new Gauge({
      name: 'keyledger_build_info',
      help: 'Always 1; its label says which build runs.',
      labelNames: ['version'],
      registers: [this.#registry],
    }).set({ version: VERSION }, 1);
    const names = projections.all.map(({ projection }) => projection.name);
    this.#lookAtProjections = projectionMetrics(this.#registry, { projections, log, clock });
    runner.observe(appendMetrics(this.#registry));
    writeAheadMetrics(this.#registry, writeAhead);
    readYourWrites.observe(readYourWritesMetrics(this.#registry, names));
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Returns the metrics as text. Scrapes that arrive while another scrape is computed share the next result. */
  text(): Promise<string> {
    return this.#scrape.read();
  }

  async #write(): Promise<string> {
    const [obstacles, measureProjections] = await Promise.all([
      this.readiness.probe(),
      this.#lookAtProjections(),
    ]);
    // Projections and readiness are measured without a pause between them, so they do not contradict each other.
    measureProjections();
    this.#ready.set(obstacles().length === 0 ? 1 : 0);
    return this.#registry.metrics();
  }

  /** Begins to measure verifications. */
  observeVerifications(sources: VerificationSources): void {
    verificationMetrics(this.#registry, sources);
  }

  /** Begins to count the connections that a server refuses. */
  observeConnections(server: Server): void {
    connectionMetrics(this.#registry, server);
  }

  /** The middleware that measures requests. */
  get observe(): RequestMetrics['observe'] {
    return this.#requests.observe;
  }

  /** The function that counts a refusal. */
  get refused(): RequestMetrics['refused'] {
    return this.#requests.refused;
  }
}

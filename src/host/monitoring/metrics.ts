import type { Server } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { AppendObserver } from '../../event-sourcing/decisions/decision-runner.js';
import { type Ledger, OPEN_LEDGERS } from '../../event-sourcing/ledger.js';
import {
  type Authorization,
  GATEWAY_FAULTS,
} from '../../features/verification/authorization/authorization.js';
import type { StoredAmounts } from '../../features/usage/domain/amounts.js';
import { sumUp } from '../../features/usage/domain/usage-sums.js';
import type { ReportUsageHandler } from '../../features/usage/usage-reports.commands.js';
import { numberUsd } from '../../kernel/usd.js';
import { VERIFICATION_CODES } from '../../features/verification/domain/verification.js';
import type { KeyMemory } from '../../features/verification/known-keys/key-memory.js';
import type { Verifier } from '../../features/verification/verifier.js';
import type { Spending } from '../../features/keys/published/spending.js';
import { SharedRead } from '../../event-sourcing/waiting/shared-read.js';
import { COMMIT, VERSION } from '../../kernel/version.js';
import { readSideMetrics } from './read-side-metrics.js';
import { DURATION_BUCKETS, requestMetrics } from './request-metrics.js';
import { Readiness } from './readiness.js';

/** The metrics of the service for Prometheus (docs/metrics.md). Gauges are computed at each scrape. */
@Injectable()
export class Metrics {
  readonly #registry = new Registry();
  /** The middleware that measures requests. */
  readonly observe = requestMetrics(this.#registry);
  readonly #ready = new Gauge({
    name: 'keyledger_ready',
    help: '1 while /health/ready answers 200: the logs and the read store answer, and the read models are live; else 0. Says nothing of writes.',
    registers: [this.#registry],
  });
  readonly #measureReadSides: () => Promise<void>;
  readonly #scrape = new SharedRead(() => this.#write());

  constructor(
    private readonly readiness: Readiness,
    @Inject(OPEN_LEDGERS) ledgers: readonly Pick<Ledger, 'log' | 'runner' | 'models'>[],
  ) {
    collectDefaultMetrics({ register: this.#registry });
    new Gauge({
      name: 'keyledger_build_info',
      help: 'Always 1; its labels say which build runs.',
      labelNames: ['version', 'commit'],
      registers: [this.#registry],
    }).set({ version: VERSION, commit: COMMIT }, 1);
    this.#measureReadSides = readSideMetrics(this.#registry, ledgers);
    const appends = appendMetrics(this.#registry);
    for (const { runner } of ledgers) runner.observe(appends);
    waitMetrics(this.#registry, ledgers);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Returns the metrics as text. Scrapes that arrive while another scrape is computed share the next result. */
  text(): Promise<string> {
    return this.#scrape.read();
  }

  async #write(): Promise<string> {
    await this.#measureReadSides();
    const obstacles = await this.readiness.obstacles();
    this.#ready.set(obstacles.length === 0 ? 1 : 0);
    return this.#registry.metrics();
  }

  /** Begins to measure the write-ahead log of the embedded log. */
  observeWriteAhead(bytes: () => number): void {
    this.#gauge(
      'keyledger_event_log_wal_bytes',
      'Length of events.db-wal and usage.db-wal, the write-ahead logs of the embedded logs; 0 on EventStoreDB.',
      bytes,
    );
  }

  observeVerifications(
    keys: KeyMemory,
    spending: Pick<Spending, 'ageMs'>,
    verifier: Verifier,
    gateways: Authorization,
  ): void {
    const countVerification = counterOf(
      this.#registry,
      'keyledger_verifications_total',
      'Verifications of keys, by the code of the answer.',
      { label: 'code', values: VERIFICATION_CODES },
    );
    verifier.observe(countVerification);
    const countUnauthorized = counterOf(
      this.#registry,
      'keyledger_gateway_refusals_total',
      'Requests of gateways that were refused because of the key of the gateway itself, by what was wrong with it.',
      { label: 'key', values: GATEWAY_FAULTS },
    );
    gateways.observe(countUnauthorized);
    this.#gauge(
      'keyledger_known_keys_age_seconds',
      'Age of the keys in memory and of what they spent: the time since the last look at the logs.',
      () => Math.max(keys.ageMs, spending.ageMs) / 1_000,
    );
  }

  observeReports(reports: ReportUsageHandler): void {
    const usd = new Counter({
      name: 'keyledger_usage_reported_usd_total',
      help: 'USD in usage reports that were newly accepted, by kind (usage, or byok for BYOK usage), and by whether it was of a key of the account.',
      labelNames: ['kind', 'attributed'],
      registers: [this.#registry],
    });
    const count = (attributed: 'true' | 'false', sums: readonly StoredAmounts[]): void => {
      const { usage, byok_usage } = sumUp(sums);
      usd.inc({ kind: 'usage', attributed }, numberUsd(usage));
      usd.inc({ kind: 'byok', attributed }, numberUsd(byok_usage));
    };
    count('true', []);
    count('false', []);
    reports.observe(({ sums, unattributed_sums }) => {
      count('true', sums);
      count('false', unattributed_sums);
    });
  }

  observeConnections(server: Server): void {
    const refused = new Counter({
      name: 'keyledger_connections_refused_total',
      help: 'Connections closed at once, because too many were open.',
      registers: [this.#registry],
    });
    server.on('drop', () => refused.inc());
  }

  /** Makes a gauge whose value is read at each scrape. */
  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read());
      },
    });
  }
}

/** Makes a counter with a series from the start for each value of its label. @returns a function that counts one. */
function counterOf(
  registry: Registry,
  name: string,
  help: string,
  { label, values }: { readonly label: string; readonly values: Iterable<string> },
): (value: string) => void {
  const counter = new Counter({ name, help, labelNames: [label], registers: [registry] });
  for (const value of values) counter.inc({ [label]: value }, 0);
  return (value) => counter.inc({ [label]: value });
}

/** Makes the metrics of appends. Returns the observer through which the decision runner reports appends. */
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

/** Makes the metrics of the waits of reads for earlier writes. */
function waitMetrics(registry: Registry, ledgers: readonly Pick<Ledger, 'models'>[]): void {
  const about = { labelNames: ['read_side'], registers: [registry] };
  const waits = new Histogram({
    ...about,
    name: 'keyledger_read_your_writes_wait_seconds',
    help: 'How long reads waited until the read models had passed the head of the log.',
    buckets: DURATION_BUCKETS,
  });
  const timeouts = new Counter({
    ...about,
    name: 'keyledger_read_your_writes_timeouts_total',
    help: 'Reads whose wait took too long: served without the newest writes, or refused.',
  });
  for (const { models } of ledgers) {
    const of = { read_side: models.name };
    waits.zero(of);
    timeouts.inc(of, 0);
    models.wait.observe((seconds, settled) => {
      waits.observe(of, seconds);
      if (!settled) timeouts.inc(of);
    });
  }
}

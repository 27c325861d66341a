import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import {
  SPENT_TOWARD_LIMITS,
  type SpentTowardLimits,
} from '../../features/keys/published/spent-toward-limits.port.js';
import { SUBJECT_KINDS } from '../../features/keys/domain/limit.js';
import { THRESHOLDS } from '../../features/usage/domain/limit-reached.js';
import { LimitNotices } from '../../features/usage/limits-reached/limit-notices.js';
import type { StoredAmounts } from '../../features/usage/domain/amounts.js';
import { sumUp } from '../../features/usage/domain/usage-sums.js';
import { UsageDirectory } from '../../features/usage/usage-directory/usage-directory.js';
import { ReportUsageHandler } from '../../features/usage/usage-reports.commands.js';
import {
  ForwardAuth,
  GATEWAY_FAULTS,
} from '../../features/verification/forward-auth/forward-auth.js';
import { VERIFICATION_CODES } from '../../features/verification/domain/verification.js';
import { KeyMemory } from '../../features/verification/known-keys/key-memory.js';
import { Verifier } from '../../features/verification/verifier.js';
import { inTime } from '../../event-sourcing/waiting/in-time.js';
import { numberUsd } from '../../kernel/usd.js';
import { Metrics } from './metrics.js';
import { PROBE_TIMEOUT_MS } from './readiness.js';

/** The metrics of features. A counter has a series from the start for each value of its label. */
@Injectable()
export class FeatureMetrics {
  constructor(
    { registry }: Metrics,
    keys: KeyMemory,
    @Inject(SPENT_TOWARD_LIMITS) spending: SpentTowardLimits,
    verifier: Verifier,
    gateways: ForwardAuth,
    reports: ReportUsageHandler,
    notices: LimitNotices,
    usage: UsageDirectory,
  ) {
    const registers = [registry];
    const verifications = new Counter({
      name: 'keyledger_verifications_total',
      help: 'Verifications of keys, by the code of the answer.',
      labelNames: ['code'],
      registers,
    });
    for (const code of VERIFICATION_CODES) verifications.inc({ code }, 0);
    verifier.observe((code) => verifications.inc({ code }));

    const refusals = new Counter({
      name: 'keyledger_gateway_refusals_total',
      help: 'Requests of gateways that were refused because of the key of the gateway itself, by what was wrong with it.',
      labelNames: ['key'],
      registers,
    });
    for (const key of GATEWAY_FAULTS) refusals.inc({ key }, 0);
    gateways.observe((key) => refusals.inc({ key }));

    new Gauge({
      name: 'keyledger_known_keys_age_seconds',
      help: 'Time since the last check of the event logs for changes, of the two logs the longer time.',
      registers,
      collect() {
        this.set(Math.max(keys.ageMs, spending.ageMs) / 1_000);
      },
    });

    new Gauge({
      name: 'keyledger_users_reported',
      help: 'End users of all accounts whom usage reports have named.',
      registers,
      async collect() {
        const users = await inTime(usage.usersReported(), PROBE_TIMEOUT_MS).catch(() => null);
        if (users === null) this.remove();
        else this.set(users);
      },
    });

    const usd = new Counter({
      name: 'keyledger_usage_reported_usd_total',
      help: 'USD in usage reports that were accepted, each report once, by kind (usage, or byok for BYOK usage), and by whether the hash is a key of the account.',
      labelNames: ['kind', 'attributed'],
      registers,
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

    const reached = new Counter({
      name: 'keyledger_limits_reached_total',
      help: 'Limits of which 80 or 100 percent was spent (threshold), by what has the limit. Of several replicas, one counts each.',
      labelNames: ['kind', 'threshold'],
      registers,
    });
    for (const kind of SUBJECT_KINDS) {
      for (const threshold of THRESHOLDS) reached.inc({ kind, threshold }, 0);
    }
    notices.observe(({ kind, threshold }) => reached.inc({ kind, threshold }));
  }
}

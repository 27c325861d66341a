import { ApiSchema } from '@nestjs/swagger';
import { Shown, ShownTime } from '../../edge/http/fields/field-decorators.js';
import { numberUsd } from '../../kernel/usd.js';
import type { AcceptedReport, Reporter } from './domain/accepted-once.js';
import { totalOf } from './domain/usage-sums.js';

/** An accepted report as gateways see it (docs/api.md 13.2). */
@ApiSchema({ name: 'UsageReport' })
export class UsageReportRecord {
  @Shown('Id of the report, in lower case.', { type: String, format: 'uuid' })
  readonly report_id!: string;

  @Shown('The number of its records.', { type: 'integer', minimum: 1 })
  readonly accepted!: number;

  @Shown('Each hash that is not a key of the account, once, in the order of the records.', {
    type: [String],
  })
  readonly unattributed!: readonly string[];
}

export function presentReport(report: AcceptedReport): UsageReportRecord {
  const { report_id, accepted, unattributed } = report;
  return { report_id, accepted, unattributed };
}

@ApiSchema({ name: 'Reporter' })
class ReporterRecord implements Reporter {
  @Shown('Hash of the management key.', { type: String })
  readonly hash!: string;

  @Shown('User of the management key.', { type: String, nullable: true })
  readonly user_id!: string | null;
}

const reporter = { type: () => ReporterRecord };

/** An accepted report as it is read, or reversed (docs/api.md 13.4). */
@ApiSchema({ name: 'StoredUsageReport' })
export class StoredReportRecord extends UsageReportRecord {
  @ShownTime('Time at which the report was accepted.')
  readonly reported_at!: string;

  @Shown('The management key that sent the report.', reporter)
  readonly reported_by!: Reporter;

  @Shown('Usage in USD of the report, also after it was reversed.', { type: Number })
  readonly usage!: number;

  @Shown('BYOK usage in USD of the report.', { type: Number })
  readonly byok_usage!: number;

  @Shown('Number of requests of the report.', { type: 'integer' })
  readonly requests!: number;

  @ShownTime('Time at which the report was reversed; null if it was not.', { nullable: true })
  readonly reversed_at!: string | null;

  @Shown('The management key that reversed the report; null if none did.', {
    ...reporter,
    nullable: true,
  })
  readonly reversed_by!: Reporter | null;
}

export function presentStoredReport(report: AcceptedReport): StoredReportRecord {
  const { report_id, accepted, unattributed } = report;
  const { reported_at, reported_by, reversed_at, reversed_by } = report;
  const { usage, byok_usage, requests } = totalOf(report);
  return {
    report_id,
    accepted,
    unattributed,
    reported_at,
    reported_by,
    usage: numberUsd(usage),
    byok_usage: numberUsd(byok_usage),
    requests: Number(requests),
    reversed_at,
    reversed_by,
  };
}

export const REPORT_ID_IN_PATH = {
  name: 'report_id',
  format: 'uuid',
  description: 'UUID that the reporter makes. Upper and lower case do not differ.',
};

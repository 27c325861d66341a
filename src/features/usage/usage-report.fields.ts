import { ApiSchema, PickType } from '@nestjs/swagger';
import {
  Shown,
  ShownTime,
  TRACKING_STRING_RULE,
  UTC_TIMESTAMP_RULE,
} from '../../edge/http/fields/field-decorators.js';
import { type Issue, shownName } from '../../edge/http/fields/shape.pipe.js';
import { Refusal } from '../../kernel/errors.js';
import { type InParts, PART } from './domain/in-parts.js';
import { isKeyHash } from '../../kernel/key-string.js';
import { isTrackingString } from '../../kernel/tracking-string.js';
import { parseUtcTimestamp } from '../../kernel/utc-timestamp.js';
import { MOST_USD, numberUsd, parseUsd } from '../../kernel/usd.js';
import type { UsageRecord } from './domain/usage-record.js';
import type { AcceptedReport, Reporter } from './domain/usage-report.js';
import { totalOf } from './domain/usage-sums.js';

/** An accepted report as gateways see it (docs/api.md 13.2). */
@ApiSchema({ name: 'UsageReport' })
export class UsageReportRecord {
  @Shown('Id of the report, in lower case.', { type: String, format: 'uuid' })
  readonly report_id!: string;

  @Shown('The number of its records.', { type: 'integer', minimum: 1 })
  readonly accepted!: number;

  @Shown('Each hash that is no key of the account, once, in the order of the records.', {
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

/** An accepted report as it is read, or taken back (docs/api.md 13.4). */
@ApiSchema({ name: 'StoredUsageReport' })
export class StoredReportRecord extends PickType(UsageReportRecord, [
  'report_id',
  'accepted',
  'unattributed',
]) {
  @ShownTime('When it was accepted.')
  readonly reported_at!: string;

  @Shown('The management key that reported it.', reporter)
  readonly reported_by!: Reporter;

  @Shown('Usage in USD that it reported, also after it was taken back.', { type: Number })
  readonly usage!: number;

  @Shown('BYOK usage in USD that it reported.', { type: Number })
  readonly byok_usage!: number;

  @Shown('Number of requests that it reported.', { type: 'integer' })
  readonly requests!: number;

  @ShownTime('When it was taken back; null when it was not.', { nullable: true })
  readonly reversed_at!: string | null;

  @Shown('The management key that took it back; null when none did.', {
    ...reporter,
    nullable: true,
  })
  readonly reversed_by!: Reporter | null;
}

export function presentStored(report: AcceptedReport): StoredReportRecord {
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

export const MOST_RECORDS = 1_000;
export const MOST_REQUESTS = 1_000_000;

const RECORDS_RULE = `must be an array of 1 to ${MOST_RECORDS} records`;
const KEY_HASH_RULE = 'must be a string of 64 lower-case hex digits';
const USD_RULE = `must be USD from 0 to ${MOST_USD}: a number, or the decimal of a whole multiple of 0.000000001 in a string`;
const REQUESTS_RULE = `must be an integer from 0 to ${MOST_REQUESTS}`;

const FIELDS: ReadonlySet<string> = new Set<keyof UsageRecord>([
  'key_hash',
  'cost',
  'byok_cost',
  'requests',
  'occurred_at',
  'user',
]);

/**
 * Reads the body of a report (docs/api.md 13.1). It is a plain function because classes take too long for 1,000 records.
 * @throws Refusal that names every fault of every record. The bounds of a body bound how many there can be.
 */
export function* readRecords(body: unknown): InParts<UsageRecord[]> {
  const issues: Issue[] = [];
  const { records, ...others } = isObject(body) ? body : {};
  for (const name of Object.keys(others)) issues.push(unknownField('', name));
  const isCounted = Array.isArray(records) && records.length > 0 && records.length <= MOST_RECORDS;
  if (!isCounted) issues.push({ path: 'records', message: RECORDS_RULE });
  const items: readonly unknown[] = isCounted ? records : [];
  const read: UsageRecord[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % PART === 0) yield;
    const record = readRecord(item, `records.${index}`, issues);
    if (record) read.push(record);
  }
  if (issues.length > 0) throw new Refusal('request-invalid', { issues });
  return read;
}

/** Returns a record, and adds its faults to `issues`. */
function readRecord(item: unknown, path: string, issues: Issue[]): UsageRecord | null {
  if (!isObject(item)) {
    issues.push({ path, message: 'must be an object' });
    return null;
  }
  const field = <Read>(
    name: keyof UsageRecord,
    parse: (value: unknown) => Read | null,
    rule: string,
  ): Read | null => {
    const read = parse(item[name]);
    if (read === null) issues.push({ path: `${path}.${name}`, message: rule });
    return read;
  };
  const optional: typeof field = (name, ...rest) =>
    item[name] == null ? null : field(name, ...rest);
  for (const name of Object.keys(item)) {
    if (!FIELDS.has(name)) issues.push(unknownField(path, name));
  }
  const key_hash = field('key_hash', parseHash, KEY_HASH_RULE);
  const cost = field('cost', parseUsd, USD_RULE);
  const byok_cost = optional('byok_cost', parseUsd, USD_RULE) ?? 0n;
  const requests = optional('requests', parseRequests, REQUESTS_RULE) ?? 1;
  const occurred_at = optional('occurred_at', parseTime, UTC_TIMESTAMP_RULE);
  const user = optional('user', parseUser, TRACKING_STRING_RULE);
  if (key_hash === null || cost === null) return null;
  return { key_hash, cost, byok_cost, requests, occurred_at, user };
}

function parseHash(value: unknown): string | null {
  return typeof value === 'string' && isKeyHash(value) ? value : null;
}

function parseRequests(value: unknown): number | null {
  const isCount = typeof value === 'number' && Number.isInteger(value);
  return isCount && value >= 0 && value <= MOST_REQUESTS ? value : null;
}

function parseTime(value: unknown): string | null {
  return typeof value === 'string' ? parseUtcTimestamp(value) : null;
}

function parseUser(value: unknown): string | null {
  return isTrackingString(value) ? value : null;
}

function unknownField(parent: string, name: string): Issue {
  const path = [parent, shownName(name)].filter((part) => part !== '').join('.');
  return { path, message: 'is not a field of this request' };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

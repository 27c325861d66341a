import {
  TRACKING_STRING_RULE,
  TRACKING_STRING_SCHEMA,
  UTC_TIMESTAMP_PATTERN,
  UTC_TIMESTAMP_RULE,
} from '../../edge/http/fields/field-decorators.js';
import { type Issue, shownName } from '../../edge/http/fields/shape.pipe.js';
import type { OpenApiSchema } from '../../edge/http/openapi/answer.js';
import { Refusal } from '../../kernel/errors.js';
import { isKeyHash } from '../../kernel/key-string.js';
import { isTrackingString } from '../../kernel/tracking-string.js';
import { MOST_USD, parseUsd } from '../../kernel/usd.js';
import { parseUtcTimestamp } from '../../kernel/utc-timestamp.js';
import { type InParts, PART } from './domain/in-parts.js';
import type { UsageRecord } from './domain/usage-record.js';

export const MOST_RECORDS = 1_000;
const MOST_REQUESTS = 1_000_000;

const RECORDS_RULE = `must be an array of 1 to ${MOST_RECORDS} records`;
const USD_RULE = `must be USD from 0 to ${MOST_USD}: a number, or the decimal of a whole multiple of 0.000000001 in a string`;

/** An amount: a number, or all digits of a decimal in a text. */
const USD_SCHEMA = {
  anyOf: [
    { type: 'number', minimum: 0, maximum: MOST_USD },
    { type: 'string', maxLength: 64, pattern: '^\\d+(\\.\\d+)?([eE][+-]?\\d+)?$' },
  ],
};

interface Field<Value> {
  /** Returns the value of a field; null for a wrong one. */
  readonly parse: (given: unknown) => Value | null;
  readonly rule: string;
  /** The rule as far as a schema can say it. */
  readonly schema: OpenApiSchema;
  /** Whether a record may leave the field out. Null then counts as absent. */
  readonly mayBeAbsent?: true;
}

type Fields = { readonly [Name in keyof UsageRecord]: Field<NonNullable<UsageRecord[Name]>> };

/** The fields of a record (docs/api.md 13.1), for what is taken and for the OpenAPI document. */
const FIELDS: Fields = {
  key_hash: {
    parse: (given) => (typeof given === 'string' && isKeyHash(given) ? given : null),
    rule: 'must be a string of 64 lower-case hex digits',
    schema: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Hash of the key.' },
  },
  cost: {
    parse: parseUsd,
    rule: USD_RULE,
    schema: {
      ...USD_SCHEMA,
      description: `Usage in USD, at most ${MOST_USD}. A string keeps its exact value, which must be a whole multiple of 0.000000001, with an exponent from -400 to 400.`,
    },
  },
  byok_cost: {
    parse: parseUsd,
    rule: USD_RULE,
    schema: { ...USD_SCHEMA, description: 'BYOK usage in USD, like `cost`; 0 if absent.' },
    mayBeAbsent: true,
  },
  requests: {
    parse: (given) =>
      typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= MOST_REQUESTS
        ? given
        : null,
    rule: `must be an integer from 0 to ${MOST_REQUESTS}`,
    schema: {
      type: 'integer',
      minimum: 0,
      maximum: MOST_REQUESTS,
      description: 'How many requests the record is for; 1 if absent.',
    },
    mayBeAbsent: true,
  },
  occurred_at: {
    parse: (given) => (typeof given === 'string' ? parseUtcTimestamp(given) : null),
    rule: UTC_TIMESTAMP_RULE,
    schema: {
      type: 'string',
      pattern: UTC_TIMESTAMP_PATTERN,
      description:
        'Time of the use: at most 35 days back and 5 minutes ahead. If absent, when the report was first accepted.',
    },
    mayBeAbsent: true,
  },
  user: {
    parse: (given) => (isTrackingString(given) ? given : null),
    rule: TRACKING_STRING_RULE,
    schema: {
      ...TRACKING_STRING_SCHEMA,
      type: 'string',
      description:
        'Tracking ID of the end user who caused the use, registered or not. The `external_user` of the key, if it has one, counts instead.',
    },
    mayBeAbsent: true,
  },
};

const NAMES: ReadonlySet<string> = new Set(Object.keys(FIELDS));

const fields: readonly (readonly [string, Field<unknown>])[] = Object.entries(FIELDS);

export const REPORT_SCHEMA: OpenApiSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['records'],
  properties: {
    records: {
      type: 'array',
      minItems: 1,
      maxItems: MOST_RECORDS,
      description: 'The cost of the uses of keys.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: fields.filter(([, { mayBeAbsent }]) => !mayBeAbsent).map(([name]) => name),
        properties: Object.fromEntries(
          fields.map(([name, { schema, mayBeAbsent: nullable }]) => [
            name,
            nullable ? { ...schema, nullable } : schema,
          ]),
        ),
      },
    },
  },
  example: { records: [{ key_hash: '0'.repeat(64), cost: 0.25, user: 'customer-42' }] },
};

/**
 * Reads a report (docs/api.md 13.1), without classes, which take too long for 1,000 records.
 * @throws Refusal that names every fault of every record. A body's bounds bound their number.
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
  for (const name of Object.keys(item)) {
    if (!NAMES.has(name)) issues.push(unknownField(path, name));
  }
  const read = <Name extends keyof UsageRecord>(
    name: Name,
  ): NonNullable<UsageRecord[Name]> | null => {
    const { parse, rule, mayBeAbsent } = FIELDS[name];
    if (mayBeAbsent && item[name] == null) return null;
    const value = parse(item[name]);
    if (value === null) issues.push({ path: `${path}.${name}`, message: rule });
    return value;
  };
  const key_hash = read('key_hash');
  const cost = read('cost');
  const byok_cost = read('byok_cost') ?? 0n;
  const requests = read('requests') ?? 1;
  const occurred_at = read('occurred_at');
  const user = read('user');
  if (key_hash === null || cost === null) return null;
  return { key_hash, cost, byok_cost, requests, occurred_at, user };
}

function unknownField(parent: string, name: string): Issue {
  const path = [parent, shownName(name)].filter((part) => part !== '').join('.');
  return { path, message: 'is not a field of this request' };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

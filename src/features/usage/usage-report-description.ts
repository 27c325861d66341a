import {
  TRACKING_STRING_SCHEMA,
  UTC_TIMESTAMP_PATTERN,
} from '../../edge/http/fields/field-decorators.js';
import type { OpenApiSchema } from '../../edge/http/openapi/operation.js';
import { MOST_USD } from '../../kernel/usd.js';
import { MOST_RECORDS, MOST_REQUESTS } from './usage-report.fields.js';

const DECIMAL = { type: 'string', maxLength: 64, pattern: '^\\d+(\\.\\d+)?([eE][+-]?\\d+)?$' };

/** The schema of an amount: a number, or all digits of a decimal in a text. */
const usd = { anyOf: [{ type: 'number', minimum: 0, maximum: MOST_USD }, DECIMAL] };

const optional = { nullable: true };

const record: OpenApiSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['key_hash', 'cost'],
  properties: {
    key_hash: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Hash of the key.' },
    cost: {
      ...usd,
      description: `Usage in USD, at most ${MOST_USD}. A string is taken exactly: its value must be a whole multiple of 0.000000001, and its exponent at most 400 either way.`,
    },
    byok_cost: { ...usd, ...optional, description: 'BYOK usage in USD, like `cost`; 0 if absent.' },
    requests: {
      ...{ type: 'integer', minimum: 0, maximum: MOST_REQUESTS, ...optional },
      description: 'How many requests the record stands for; 1 if absent.',
    },
    occurred_at: {
      ...{ type: 'string', pattern: UTC_TIMESTAMP_PATTERN, ...optional },
      description:
        'When it happened: at most 35 days back and 5 minutes ahead. If absent, when the report was first accepted.',
    },
    user: {
      ...{ ...TRACKING_STRING_SCHEMA, type: 'string', ...optional },
      description: 'Tracking string of the end user who caused it, registered or not.',
    },
  },
};

export const REPORT_SCHEMA: OpenApiSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['records'],
  properties: {
    records: {
      type: 'array',
      minItems: 1,
      maxItems: MOST_RECORDS,
      description: 'What the uses of keys cost.',
      items: record,
    },
  },
  example: { records: [{ key_hash: '0'.repeat(64), cost: 0.25, user: 'customer-42' }] },
};

export const REPORT_ID_IN_PATH = {
  name: 'report_id',
  format: 'uuid',
  description: 'UUID that the reporter makes; upper and lower case are one.',
};

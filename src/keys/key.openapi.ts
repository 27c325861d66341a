import { fieldRefusal, type OpenApiSchema } from '../http/openapi.js';
import type { KeyRecord } from './domain/key-record.js';
import { LIMIT_RESETS } from './domain/key.js';

/** Of a `workspace_id` wherever it is given. */
export const WORKSPACE_REFUSAL = fieldRefusal(
  'workspace-unknown',
  'workspace_id',
  'is no workspace of this account',
);

const usd = (description: string): OpenApiSchema => ({
  type: 'number',
  description: `${description}, in USD.`,
});
const time = (description: string): OpenApiSchema => ({
  type: 'string',
  format: 'date-time',
  description,
});

export const keyProperties: Readonly<Record<keyof KeyRecord, OpenApiSchema>> = {
  hash: { type: 'string', description: 'Identifier of the key: SHA-256 of the key string.' },
  name: { type: 'string' },
  label: { type: 'string', description: 'Display label: the name.' },
  disabled: { type: 'boolean' },
  limit: { ...usd('Spending limit'), nullable: true },
  limit_remaining: { ...usd('What is left under the limit; null without one'), nullable: true },
  limit_reset: { type: 'string', enum: [...LIMIT_RESETS, null], nullable: true },
  include_byok_in_limit: { type: 'boolean' },
  usage: usd('Usage in all'),
  usage_daily: usd('Usage since midnight UTC'),
  usage_weekly: usd('Usage since Monday, midnight UTC'),
  usage_monthly: usd('Usage since the 1st, midnight UTC'),
  byok_usage: usd('BYOK usage in all'),
  byok_usage_daily: usd('BYOK usage since midnight UTC'),
  byok_usage_weekly: usd('BYOK usage since Monday, midnight UTC'),
  byok_usage_monthly: usd('BYOK usage since the 1st, midnight UTC'),
  created_at: time('Creation.'),
  updated_at: { ...time('Last change; null on a key that was never updated.'), nullable: true },
  expires_at: { ...time('Null when the key does not expire.'), nullable: true },
  last_used_at: { ...time('Null when the key was never used.'), nullable: true },
  creator_user_id: { type: 'string' },
  workspace_id: { type: 'string', format: 'uuid' },
  external_user: {
    type: 'object',
    nullable: true,
    description: 'Partner-defined identity of the key.',
    required: ['user'],
    properties: { user: { type: 'string' } },
  },
};

export const keySchema: OpenApiSchema = {
  type: 'object',
  required: Object.keys(keyProperties),
  properties: { ...keyProperties },
};

export const keyExample: KeyRecord = {
  hash: '3f0f6a2f5f9c1f0a7d3e5b8c9d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f7081920',
  name: 'analytics',
  label: 'analytics',
  disabled: false,
  limit: 25,
  limit_remaining: 25,
  limit_reset: 'monthly',
  include_byok_in_limit: false,
  usage: 0,
  usage_daily: 0,
  usage_weekly: 0,
  usage_monthly: 0,
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_weekly: 0,
  byok_usage_monthly: 0,
  created_at: '2026-01-05T09:30:00.000Z',
  updated_at: null,
  expires_at: '2027-01-01T00:00:00.000Z',
  last_used_at: null,
  creator_user_id: 'user-ada',
  workspace_id: 'b7c0de3a-5d0c-4c6f-8f1d-2a9e6f1c3b4d',
  external_user: null,
};

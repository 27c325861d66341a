import { DescribeOperation, type OpenApiSchema } from '../../http/openapi.js';
import { type CurrentKeyRecord, presentCurrentApiKey } from '../domain/current-key-record.js';
import { keyExample, keyProperties } from '../key.openapi.js';

const integer: OpenApiSchema = { type: 'integer' };

const properties: Readonly<Record<keyof CurrentKeyRecord, OpenApiSchema>> = {
  label: { type: 'string', description: 'The name of the key, or the form of its key string.' },
  limit: keyProperties.limit,
  limit_remaining: keyProperties.limit_remaining,
  limit_reset: keyProperties.limit_reset,
  include_byok_in_limit: keyProperties.include_byok_in_limit,
  usage: keyProperties.usage,
  usage_daily: keyProperties.usage_daily,
  usage_weekly: keyProperties.usage_weekly,
  usage_monthly: keyProperties.usage_monthly,
  byok_usage: keyProperties.byok_usage,
  byok_usage_daily: keyProperties.byok_usage_daily,
  byok_usage_weekly: keyProperties.byok_usage_weekly,
  byok_usage_monthly: keyProperties.byok_usage_monthly,
  expires_at: keyProperties.expires_at,
  creator_user_id: { type: 'string', description: 'Of a management key, its user.' },
  workspace_id: {
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: 'Null for a management key.',
  },
  organization_id: {
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: 'Null when the account is no organization.',
  },
  is_management_key: { type: 'boolean' },
  is_provisioning_key: { type: 'boolean', description: 'The same as `is_management_key`.' },
  is_free_tier: { type: 'boolean', description: 'Always false.' },
  allowed_data_regions: { type: 'array', items: { type: 'string' } },
  free_model_daily_requests: {
    type: 'object',
    required: ['limit', 'remaining', 'used'],
    properties: { limit: integer, remaining: integer, used: integer },
  },
  rate_limit: {
    type: 'object',
    description: 'Always the same: keys have no such limit.',
    required: ['requests', 'interval', 'note'],
    properties: { requests: integer, interval: { type: 'string' }, note: { type: 'string' } },
  },
};

export const currentKeySchema: OpenApiSchema = {
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties },
};

const example = presentCurrentApiKey(
  { ...keyExample, account_id: '', external_user: null },
  '5e0b8f2a-1c3d-4e5f-8a9b-0c1d2e3f4a5b',
  new Date(keyExample.created_at),
);

export const DescribeReadCurrentKey = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Keys',
    id: 'readCurrentKey',
    summary: 'Read the key that asks',
    description: 'What a live key of either kind is told about itself.',
    keys: 'any',
    success: {
      status: 200,
      description: 'The key as it is now; of a management key, without `X-Log-Position`.',
      schema: {
        type: 'object',
        required: ['data'],
        properties: { data: { $ref: '#/components/schemas/CurrentKey' } },
      },
      example: { data: example },
      headers: ['X-Log-Position'],
    },
    refusals: [],
  });

import type { OpenApiSchema } from '../http/openapi.js';
import type { EndUserRecord } from './domain/end-user-record.js';
import { TRACKING_STRING_MAX_LENGTH } from '../kernel/tracking-string.js';

const properties: Readonly<Record<keyof EndUserRecord, OpenApiSchema>> = {
  user: {
    type: 'string',
    minLength: 1,
    maxLength: TRACKING_STRING_MAX_LENGTH,
    description: 'Tracking string.',
  },
  is_active: { type: 'boolean' },
  created_at: { type: 'string', format: 'date-time' },
  updated_at: { type: 'string', format: 'date-time' },
};

export const endUserSchema: OpenApiSchema = {
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties },
};

export const endUserExample: EndUserRecord = {
  user: 'customer-42',
  is_active: true,
  created_at: '2026-01-05T09:30:00.000Z',
  updated_at: '2026-01-05T09:30:00.000Z',
};

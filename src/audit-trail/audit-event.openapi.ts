import type { OpenApiSchema } from '../http/openapi.js';
import type { AuditEvent } from './domain/audit-event.js';
import { ACTIONS } from './domain/descriptions.js';
import { TARGET_TYPES } from './domain/description.js';

const auditEventProperties: Readonly<Record<keyof AuditEvent, OpenApiSchema>> = {
  id: { type: 'string', format: 'uuid', description: 'Of the stored event.' },
  occurred_at: { type: 'string', format: 'date-time' },
  action: { type: 'string', enum: [...ACTIONS] },
  actor: {
    type: 'object',
    description: 'Who did it.',
    required: ['type', 'id', 'user_id'],
    properties: {
      type: { type: 'string', enum: ['management-key', 'operator', 'system'] },
      id: { type: 'string', description: 'Of a management key its hash.' },
      user_id: { type: 'string', nullable: true, description: 'The user of a management key.' },
    },
  },
  target: {
    type: 'object',
    description: 'What it was done to.',
    required: ['type', 'id', 'name'],
    properties: {
      type: { type: 'string', enum: [...TARGET_TYPES] },
      id: { type: 'string' },
      name: { type: 'string', nullable: true, description: 'As the event left it.' },
    },
  },
  changes: {
    type: 'array',
    items: {
      type: 'object',
      required: ['field', 'before', 'after'],
      properties: {
        field: { type: 'string' },
        before: { description: 'Any JSON value; null for what is new.' },
        after: { description: 'Any JSON value; null for what is gone.' },
      },
    },
  },
  request_id: {
    type: 'string',
    nullable: true,
    description: 'Of the request that caused it; null when none did.',
  },
  log_position: { type: 'string' },
};

export const auditEventSchema: OpenApiSchema = {
  type: 'object',
  required: Object.keys(auditEventProperties),
  properties: { ...auditEventProperties },
};

export const auditEventExample: AuditEvent = {
  id: '0f3c1d2e-9a4b-4c5d-8e6f-7a8b9c0d1e2f',
  occurred_at: '2026-01-05T09:30:00.000Z',
  action: 'key.disabled',
  actor: {
    type: 'management-key',
    id: '9b2e4d6f8091a3b5c7d9e1f3051728394a5b6c7d8e9f0a1b2c3d4e5f60718293',
    user_id: 'user-ada',
  },
  target: {
    type: 'key',
    id: '3f0f6a2f5f9c1f0a7d3e5b8c9d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f7081920',
    name: 'analytics',
  },
  changes: [{ field: 'disabled', before: false, after: true }],
  request_id: '7a1f6a0e-3c1d-4f7e-9a52-0b1c2d3e4f50',
  log_position: '0000000000000042-0f3c1d2e',
};

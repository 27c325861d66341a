import type { OpenApiSchema } from '../http/openapi.js';
import { MAX_SLUG_LENGTH } from './domain/slug.js';
import type { WorkspaceRecord } from './domain/workspace.js';

const properties: Readonly<Record<keyof WorkspaceRecord, OpenApiSchema>> = {
  id: { type: 'string', format: 'uuid' },
  name: { type: 'string' },
  slug: {
    type: 'string',
    minLength: 1,
    maxLength: MAX_SLUG_LENGTH,
    description: 'Names the workspace within its account, in paths too.',
  },
  description: { type: 'string', nullable: true },
  restrictions: { type: 'array', items: { type: 'string' } },
  is_default: { type: 'boolean' },
  created_by: {
    type: 'string',
    nullable: true,
    description: 'User id; null when the operator or the service made it.',
  },
  created_at: { type: 'string', format: 'date-time' },
  updated_at: {
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Null when it was never changed.',
  },
};

export const workspaceSchema: OpenApiSchema = {
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties },
};

export const workspaceExample: WorkspaceRecord = {
  id: 'b7c0de3a-5d0c-4c6f-8f1d-2a9e6f1c3b4d',
  name: 'Europe',
  slug: 'europe',
  description: 'Keys whose traffic stays in the EU.',
  restrictions: ['eu-only'],
  is_default: false,
  created_by: 'user-ada',
  created_at: '2026-01-05T09:30:00.000Z',
  updated_at: null,
};

/** An answer that holds one workspace. */
export const oneWorkspace: OpenApiSchema = {
  type: 'object',
  required: ['data'],
  properties: { data: { $ref: '#/components/schemas/Workspace' } },
};

/** Users, as the routes of members list them. */
export const members: OpenApiSchema = {
  type: 'array',
  items: {
    type: 'object',
    required: ['user_id'],
    properties: { user_id: { type: 'string' } },
  },
};

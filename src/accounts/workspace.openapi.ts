import { ApiSchema } from '@nestjs/swagger';
import type { DescribedRecord } from '../http/described-answers.js';
import type { OpenApiSchema } from '../http/openapi.js';
import { WorkspaceFields } from './workspace.fields.js';
import type { WorkspaceRecord } from './domain/workspace.js';

/** A workspace as callers see it (docs/api.md 2.6). */
@ApiSchema({ name: 'Workspace' })
export class WorkspaceView extends WorkspaceFields {}

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

/** The record of a workspace as the OpenAPI document describes it. */
export const describedWorkspace: DescribedRecord<WorkspaceView> = {
  shape: WorkspaceView,
  example: workspaceExample,
};

/** Users, as the routes of members list them. */
export const members: OpenApiSchema = {
  type: 'array',
  description: 'Members.',
  items: {
    type: 'object',
    required: ['user_id'],
    properties: { user_id: { type: 'string', description: 'Id of the user.' } },
  },
};

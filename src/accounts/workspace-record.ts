import { ApiSchema } from '@nestjs/swagger';
import type { DescribedRecord } from '../http/described-answers.js';
import type { WorkspaceRecord } from './domain/workspace.js';
import { WorkspaceFields } from './workspace.fields.js';

@ApiSchema({ name: 'Workspace' })
class WorkspaceShape extends WorkspaceFields {}

/** Returns a workspace as callers see it (docs/api.md 2.6), without the internal fields of a state or a document. */
export function presentWorkspace(workspace: WorkspaceRecord): WorkspaceRecord {
  return {
    id: workspace.id,
    name: workspace.name,
    slug: workspace.slug,
    description: workspace.description,
    restrictions: workspace.restrictions,
    is_default: workspace.is_default,
    created_by: workspace.created_by,
    created_at: workspace.created_at,
    updated_at: workspace.updated_at,
  };
}

/** The record of a workspace as the OpenAPI document describes it. */
export const describedWorkspace: DescribedRecord<WorkspaceRecord> = {
  shape: WorkspaceShape,
  example: {
    id: 'b7c0de3a-5d0c-4c6f-8f1d-2a9e6f1c3b4d',
    name: 'Europe',
    slug: 'europe',
    description: 'Keys whose traffic stays in the EU.',
    restrictions: ['eu-only'],
    is_default: false,
    created_by: 'user-ada',
    created_at: '2026-01-05T09:30:00.000Z',
    updated_at: null,
  },
};

/** The path parameter of the routes about one workspace, with its description. */
export const WORKSPACE_IN_PATH = { workspace: 'Id or slug of the workspace.' };

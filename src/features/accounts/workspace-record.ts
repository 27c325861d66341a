import { ApiSchema } from '@nestjs/swagger';
import type { WorkspaceRecord } from './domain/workspace.js';
import { WorkspaceFields } from './workspace.fields.js';

@ApiSchema({ name: 'Workspace' })
export class WorkspaceShape extends WorkspaceFields {}

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

/** The path parameter of the routes about one workspace. */
export const WORKSPACE_IN_PATH = { name: 'workspace', description: 'Id or slug of the workspace.' };

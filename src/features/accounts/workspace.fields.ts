import { ApiProperty, ApiSchema, IntersectionType, PickType } from '@nestjs/swagger';
import {
  Flag,
  Shown,
  ShownTime,
  Text,
  Texts,
  TEXT_OR_NULL,
} from '../../edge/http/fields/field-decorators.js';
import { textRule } from '../../edge/http/fields/field-rules.js';
import {
  OptionalFields,
  ChangeableFields,
  BodySchema,
} from '../../edge/http/fields/mapped-fields.js';
import { Paged } from '../../edge/http/fields/paging.js';
import { isSlug, MAX_SLUG_LENGTH, SLUG_PATTERN } from './domain/slug.js';
import { CHANGEABLE } from './domain/workspace-updates.js';
import type { WorkspaceRecord } from './domain/workspace.js';

export const WORKSPACE_NAME = { max: 100, visible: true };
export const RESTRICTIONS = { min: 0, max: 32 };
export const RESTRICTION = { max: 64, visible: true };

/** A workspace as callers see it (docs/api.md 2.6). Requests take their fields from this class. */
@ApiSchema({ name: 'Workspace' })
export class WorkspaceShape {
  @Shown('Id of the workspace.', { type: String, format: 'uuid' })
  readonly id!: string;

  @Text('Name of the workspace.', WORKSPACE_NAME)
  readonly name!: string;

  @ApiProperty({
    description:
      'Name of the workspace in paths, unique in the account, and not a UUID. Without a slug, the service makes one from the name.',
    type: String,
    minLength: 1,
    maxLength: MAX_SLUG_LENGTH,
    pattern: SLUG_PATTERN.source,
  })
  @IsSlug()
  readonly slug!: string;

  @Text('Purpose of the workspace; null for none.', { min: 0, max: 500, nullable: true })
  readonly description!: string | null;

  @Texts('Set of restrictions.', RESTRICTIONS, RESTRICTION)
  readonly restrictions!: readonly string[];

  @Flag('Whether the workspace is the default workspace of its account.')
  readonly is_default!: boolean;

  @Shown('User who created the workspace; null when the operator or the service did.', TEXT_OR_NULL)
  readonly created_by!: string | null;

  @ShownTime('Time of the creation.')
  readonly created_at!: string;

  @ShownTime('Time of the last change; null when the workspace was never changed.', {
    nullable: true,
  })
  readonly updated_at!: string | null;
}

/** Returns a workspace as callers see it (docs/api.md 2.6), without the internal fields. */
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

export const WORKSPACE_IN_PATH = { name: 'workspace', description: 'Id or slug of the workspace.' };

/** The body of `POST /v1/workspaces` (docs/api.md 2.6). Ignores unknown fields; null is absent. */
@BodySchema({ example: { name: 'Europe', restrictions: ['eu-only'] } })
export class CreateWorkspaceRequest extends IntersectionType(
  PickType(WorkspaceShape, ['name']),
  OptionalFields(WorkspaceShape, ['slug', 'description', 'restrictions']),
) {}

/** The body of `PATCH /v1/workspaces/{workspace}` (docs/api.md 2.6). Unknown fields are ignored. */
@BodySchema({ minProperties: 1, example: { restrictions: ['eu-only'] } })
export class UpdateWorkspaceRequest extends ChangeableFields(WorkspaceShape, CHANGEABLE) {}

export class ListWorkspacesRequest extends Paged(50) {}

/** The body that adds or removes members (docs/api.md 2.7). Unknown fields are ignored. */
@BodySchema({ example: { user_ids: ['user-1'] } })
export class WorkspaceMembersRequest {
  @Texts('Members of the account. A user that is named twice counts once.', { min: 1, max: 100 })
  readonly user_ids!: readonly string[];
}

export class Member {
  @Shown('Id of the user.', { type: String })
  readonly user_id!: string;
}

export class ListWorkspaceMembersRequest extends Paged(100) {}

function IsSlug(): PropertyDecorator {
  return textRule(
    isSlug,
    `must be 1 to ${MAX_SLUG_LENGTH} of a-z, 0-9 and single hyphens between them, and not a UUID`,
  );
}

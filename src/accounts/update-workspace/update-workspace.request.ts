import { ChangeableFields } from '../../http/mapped-fields.js';
import { Whole } from '../../http/whole-shape.js';
import { WorkspaceFields } from '../workspace.fields.js';

/** The body of `PATCH /v1/workspaces/{workspace}` (docs/api.md 2.6). Unknown fields are ignored. */
@Whole({ minProperties: 1 })
export class UpdateWorkspaceRequest extends ChangeableFields(WorkspaceFields, [
  'name',
  'slug',
  'description',
  'restrictions',
]) {}

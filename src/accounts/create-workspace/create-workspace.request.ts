import { IntersectionType, PickType } from '@nestjs/swagger';
import { AbsentableFields } from '../../http/mapped-fields.js';
import { WorkspaceFields } from '../workspace.fields.js';

/** The body of `POST /v1/workspaces` (docs/api.md 2.6). Unknown fields are ignored; null is absent. */
export class CreateWorkspaceRequest extends IntersectionType(
  PickType(WorkspaceFields, ['name']),
  AbsentableFields(WorkspaceFields, ['slug', 'description', 'restrictions']),
) {}

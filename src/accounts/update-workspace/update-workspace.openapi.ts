import { textRule } from '../../http/field-rules.js';
import { DescribeOperation } from '../../http/openapi.js';
import { fieldRefusal } from '../../http/described-refusals.js';
import { WRITE_REFUSALS } from '../../rate-limits/rate-limited.openapi.js';
import { NAME } from '../workspace.fields.js';
import { WorkspaceView, workspaceExample } from '../workspace.openapi.js';
import { recordAnswer } from '../../http/described-answers.js';
import { UpdateWorkspaceRequest } from './update-workspace.request.js';

export const DescribeUpdateWorkspace = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Workspaces',
    id: 'updateWorkspace',
    summary: 'Update a workspace',
    description:
      'By its id or its slug. Changes the fields that are given, all or none. Fields that have their value already are no change.',
    path: { workspace: 'Id or slug of the workspace.' },
    request: {
      shape: UpdateWorkspaceRequest,
      examples: {
        rename: { name: 'European Union', slug: 'eu' },
        restrict: { restrictions: ['eu-only', 'zero-retention'] },
        'lift every restriction': { restrictions: [], description: null },
      },
    },
    success: recordAnswer(
      {
        shape: WorkspaceView,
        example: { ...workspaceExample, slug: 'eu', updated_at: '2026-01-06T10:00:00.000Z' },
      },
      'The workspace as it is now.',
    ),
    refusals: [
      ...WRITE_REFUSALS,
      fieldRefusal('request-invalid', 'name', textRule(NAME)),
      'no-update-fields',
      'not-found',
      'workspace-slug-taken',
    ],
  });

import { textRule } from '../../http/field-rules.js';
import { DescribeOperation, fieldRefusal } from '../../http/openapi.js';
import { WRITE_REFUSALS } from '../../rate-limits/rate-limited.openapi.js';
import { NAME } from '../workspace-rules.js';
import { oneWorkspace, workspaceExample } from '../workspace.openapi.js';
import { UpdateWorkspaceRequest } from './update-workspace.request.js';

export const DescribeUpdateWorkspace = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Workspaces',
    id: 'updateWorkspace',
    summary: 'Update a workspace',
    description:
      'By its id or its slug. Changes the fields that are given, all or none. Fields that have their value already are no change.',
    request: {
      shape: UpdateWorkspaceRequest,
      examples: {
        rename: { name: 'European Union', slug: 'eu' },
        restrict: { restrictions: ['eu-only', 'zero-retention'] },
        'lift every restriction': { restrictions: [], description: null },
      },
    },
    success: {
      status: 200,
      description: 'The workspace as it is now.',
      schema: oneWorkspace,
      example: {
        data: { ...workspaceExample, slug: 'eu', updated_at: '2026-01-06T10:00:00.000Z' },
      },
    },
    refusals: [
      ...WRITE_REFUSALS,
      fieldRefusal('request-invalid', 'name', textRule(NAME)),
      'no-update-fields',
      'not-found',
      'workspace-slug-taken',
      'body-too-large',
      'encoding-unsupported',
    ],
  });

import { textRule } from '../../http/field-rules.js';
import { DescribeOperation, fieldRefusal, quotaRefusal } from '../../http/openapi.js';
import { WRITE_REFUSALS } from '../../rate-limits/rate-limited.openapi.js';
import { NAME } from '../workspace-rules.js';
import { oneWorkspace, workspaceExample } from '../workspace.openapi.js';
import { CreateWorkspaceRequest } from './create-workspace.request.js';

export const DescribeCreateWorkspace = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Workspaces',
    id: 'createWorkspace',
    summary: 'Create a workspace',
    description: 'It begins without members and without keys.',
    request: {
      shape: CreateWorkspaceRequest,
      examples: {
        'only a name': { name: 'Europe' },
        everything: {
          name: workspaceExample.name,
          slug: workspaceExample.slug,
          description: workspaceExample.description,
          restrictions: workspaceExample.restrictions,
        },
      },
    },
    success: {
      status: 201,
      description: 'The workspace.',
      schema: oneWorkspace,
      example: { data: workspaceExample },
    },
    refusals: [
      ...WRITE_REFUSALS,
      fieldRefusal('request-invalid', 'name', textRule(NAME)),
      'workspace-slug-taken',
      quotaRefusal('workspaces', 1_000),
      'body-too-large',
      'encoding-unsupported',
    ],
  });

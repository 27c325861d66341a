import { textRule } from '../../http/field-rules.js';
import { DescribeOperation } from '../../http/openapi.js';
import { fieldRefusal, quotaRefusal } from '../../http/described-refusals.js';
import { WRITE_REFUSALS } from '../../rate-limits/rate-limited.openapi.js';
import { NAME } from '../workspace.fields.js';
import { describedWorkspace, workspaceExample } from '../workspace.openapi.js';
import { recordAnswer } from '../../http/described-answers.js';
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
    success: recordAnswer(describedWorkspace, 'The workspace.', { status: 201 }),
    refusals: [
      ...WRITE_REFUSALS,
      fieldRefusal('request-invalid', 'name', textRule(NAME)),
      'workspace-slug-taken',
      quotaRefusal('workspaces', 1_000),
    ],
  });

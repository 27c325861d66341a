import { DescribeOperation } from '../../http/openapi.js';
import { withHeaders } from '../../http/described-refusals.js';
import { LIMIT_REFUSAL } from '../../http/described-answers.js';
import { members } from '../workspace.openapi.js';

export const DescribeListWorkspaceMembers = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Workspaces',
    id: 'listWorkspaceMembers',
    summary: 'List the members of a workspace',
    description:
      'In the order in which they joined. Those of the default workspace are the members of the account.',
    path: { workspace: 'Id or slug of the workspace.' },
    success: {
      status: 200,
      description: 'A page, and the count of all members.',
      schema: {
        type: 'object',
        required: ['data', 'total_count'],
        properties: {
          data: members,
          total_count: { type: 'integer', minimum: 0, description: 'All members.' },
        },
      },
      example: { data: [{ user_id: 'user-ada' }, { user_id: 'user-grace' }], total_count: 2 },
      headers: ['X-Log-Position'],
    },
    refusals: [LIMIT_REFUSAL, withHeaders('not-found', 'X-Log-Position')],
  });

import { DescribeOperation } from '../../http/openapi.js';
import { membershipRefusals } from '../workspace-members.openapi.js';
import { WorkspaceMembersRequest } from '../workspace-members.request.js';

export const DescribeRemoveWorkspaceMembers = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Workspaces',
    id: 'removeWorkspaceMembers',
    summary: 'Remove members from a workspace',
    description:
      'All or none. Who is no member of the workspace is not counted. Keys that are in it stay.',
    path: { workspace: 'Id or slug of the workspace.' },
    request: {
      shape: WorkspaceMembersRequest,
      examples: { two: { user_ids: ['user-ada', 'user-grace'] } },
    },
    success: {
      status: 200,
      description: 'How many memberships ended.',
      schema: {
        type: 'object',
        required: ['removed_count'],
        properties: {
          removed_count: { type: 'integer', minimum: 0, description: 'How many left now.' },
        },
      },
      example: { removed_count: 1 },
    },
    refusals: membershipRefusals,
  });

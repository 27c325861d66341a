import { DescribeOperation } from '../../http/openapi.js';
import { quotaRefusal } from '../../http/described-refusals.js';
import { members } from '../workspace.openapi.js';
import { membershipRefusals } from '../workspace-members.openapi.js';
import { WorkspaceMembersRequest } from '../workspace-members.request.js';

export const DescribeAddWorkspaceMembers = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Workspaces',
    id: 'addWorkspaceMembers',
    summary: 'Add members to a workspace',
    description: 'All or none. Who is a member already stays one and is not counted.',
    path: { workspace: 'Id or slug of the workspace.' },
    request: {
      shape: WorkspaceMembersRequest,
      examples: { two: { user_ids: ['user-ada', 'user-grace'] } },
    },
    success: {
      status: 200,
      description: 'Those who became members now.',
      schema: {
        type: 'object',
        required: ['data', 'added_count'],
        properties: {
          data: members,
          added_count: { type: 'integer', minimum: 0, description: 'How many joined now.' },
        },
      },
      example: { data: [{ user_id: 'user-grace' }], added_count: 1 },
    },
    refusals: [...membershipRefusals, quotaRefusal('workspace-members', 100_000)],
  });

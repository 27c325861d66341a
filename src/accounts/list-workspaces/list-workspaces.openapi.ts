import { ERROR_TABLE } from '../../http/error-table.js';
import { DescribeOperation } from '../../http/openapi.js';
import { workspaceExample } from '../workspace.openapi.js';

export const DescribeListWorkspaces = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Workspaces',
    id: 'listWorkspaces',
    summary: 'List workspaces',
    description:
      'Oldest first, and so the default workspace before all others. Sees every write that was answered before it; total_count is exact.',
    success: {
      status: 200,
      description: 'A page and the count of all workspaces of the account.',
      schema: {
        type: 'object',
        required: ['data', 'total_count'],
        properties: {
          data: { type: 'array', items: { $ref: '#/components/schemas/Workspace' } },
          total_count: { type: 'integer', minimum: 0 },
        },
      },
      example: { data: [workspaceExample], total_count: 1 },
      headers: ['X-Log-Position'],
    },
    refusals: [
      {
        ...ERROR_TABLE['request-invalid'],
        code: 'request-invalid',
        metadata: {
          issues: [
            {
              path: 'limit',
              message:
                'must be given once, as a whole number from 1 to 100 in plain decimal digits',
            },
          ],
        },
      },
    ],
  });

import { ERROR_TABLE } from '../../http/error-table.js';
import { DescribeOperation } from '../../http/openapi.js';
import { keyExample } from '../key.openapi.js';

export const DescribeListKeys = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Keys',
    id: 'listKeys',
    summary: 'List API keys',
    description:
      'Newest first. Sees every write that was answered before it; total_count is exact. Disabled keys are left out unless asked for.',
    success: {
      status: 200,
      description: 'A page and the count of all that match.',
      schema: {
        type: 'object',
        required: ['data', 'total_count'],
        properties: {
          data: { type: 'array', items: { $ref: '#/components/schemas/Key' } },
          total_count: { type: 'integer', minimum: 0 },
        },
      },
      example: { data: [keyExample], total_count: 1 },
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
      {
        ...ERROR_TABLE['workspace-unknown'],
        code: 'workspace-unknown',
        metadata: {
          issues: [{ path: 'workspace_id', message: 'is no workspace of this account' }],
        },
      },
    ],
  });

import { ERROR_TABLE } from '../../http/error-table.js';
import { DescribeOperation } from '../../http/openapi.js';
import { endUserExample } from '../end-user.openapi.js';

export const DescribeListEndUsers = (): MethodDecorator =>
  DescribeOperation({
    tag: 'End users',
    id: 'listEndUsers',
    summary: 'List registered end users',
    description:
      'In order of registration, oldest first; deactivated ones only with include_inactive. Sees every write that was answered before it; total_count is exact.',
    success: {
      status: 200,
      description: 'A page and the count of all that match.',
      schema: {
        type: 'object',
        required: ['data', 'total_count'],
        properties: {
          data: { type: 'array', items: { $ref: '#/components/schemas/EndUser' } },
          total_count: { type: 'integer', minimum: 0 },
        },
      },
      example: { data: [endUserExample], total_count: 1 },
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
      'organization-required',
    ],
  });

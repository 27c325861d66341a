import { type DescribedRefusal, DescribeOperation, fieldRefusal } from '../../http/openapi.js';
import { ERROR_TABLE } from '../../http/error-table.js';
import { keyExample } from '../key.openapi.js';
import { CreateKeyRequest } from './create-key.request.js';

const RATE_LIMIT_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** Every answer has them once the caller is known. */
function withHeaders(refusal: DescribedRefusal): DescribedRefusal {
  return { ...refusal, headers: RATE_LIMIT_HEADERS };
}

export const DescribeCreateKey = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Keys',
    id: 'createKey',
    summary: 'Create an API key',
    description: 'The key string stands in this answer and can never be read again.',
    request: {
      shape: CreateKeyRequest,
      examples: {
        'a name is enough': { name: 'analytics' },
        'everything that can be said': {
          name: 'analytics',
          creator_user_id: 'user-ada',
          expires_at: '2027-01-01T00:00:00Z',
          external: { user: 'customer-42', lookup_key: '<LOOKUP_KEY>' },
          include_byok_in_limit: false,
          limit: 25,
          limit_reset: 'monthly',
          workspace_id: keyExample.workspace_id,
        },
      },
    },
    success: {
      status: 201,
      description: 'The key was created.',
      schema: {
        type: 'object',
        required: ['data', 'key'],
        properties: {
          data: { $ref: '#/components/schemas/Key' },
          key: { type: 'string', description: 'The key string, shown only once.' },
        },
      },
      example: { data: keyExample, key: '<API_KEY>' },
      headers: ['Cache-Control', ...RATE_LIMIT_HEADERS],
    },
    refusals: [
      withHeaders(
        fieldRefusal('request-invalid', 'limit', 'must be a finite number of at least 0'),
      ),
      withHeaders(
        fieldRefusal('workspace-unknown', 'workspace_id', 'is no workspace of this account'),
      ),
      withHeaders({ ...ERROR_TABLE['body-too-large'], code: 'body-too-large' }),
      withHeaders({ ...ERROR_TABLE['encoding-unsupported'], code: 'encoding-unsupported' }),
      {
        ...ERROR_TABLE['rate-limited'],
        code: 'rate-limited',
        headers: ['Retry-After', ...RATE_LIMIT_HEADERS],
      },
    ],
  });

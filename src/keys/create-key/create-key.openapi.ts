import { USD_RULE } from '../../http/field-rules.js';
import { DescribeOperation, fieldRefusal, quotaRefusal } from '../../http/openapi.js';
import { rateLimited, TOO_MANY_WRITERS } from '../../rate-limits/rate-limited.openapi.js';
import { keyExample, WORKSPACE_REFUSAL } from '../key.openapi.js';
import { CreateKeyRequest } from './create-key.request.js';

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
    },
    headers: ['Cache-Control', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
    refusals: [
      fieldRefusal('request-invalid', 'limit', USD_RULE),
      WORKSPACE_REFUSAL,
      quotaRefusal('api-keys', 1_000_000),
      'body-too-large',
      'encoding-unsupported',
      rateLimited('key-creation'),
      TOO_MANY_WRITERS,
      'change-too-large',
    ],
  });

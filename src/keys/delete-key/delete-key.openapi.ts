import { DescribeOperation, undecodable } from '../../http/openapi.js';
import { WRITE_REFUSALS } from '../../rate-limits/rate-limited.openapi.js';

export const DescribeDeleteKey = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Keys',
    id: 'deleteKey',
    summary: 'Delete an API key',
    description: 'For good: from then on nothing finds the key, and its key string is unknown.',
    success: {
      status: 200,
      description: 'The key was deleted.',
      schema: {
        type: 'object',
        required: ['deleted'],
        properties: { deleted: { type: 'boolean', enum: [true] } },
      },
      example: { deleted: true },
    },
    refusals: [...WRITE_REFUSALS, undecodable('hash'), 'not-found'],
  });

import { DescribeOperation, undecodable, withHeaders } from '../../http/openapi.js';
import { keyExample } from '../key.openapi.js';

export const DescribeReadKey = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Keys',
    id: 'readKey',
    summary: 'Read an API key',
    description: 'Disabled and expired keys too. Sees every write that was answered before it.',
    success: {
      status: 200,
      description: 'The key as it is now.',
      schema: {
        type: 'object',
        required: ['data'],
        properties: { data: { $ref: '#/components/schemas/Key' } },
      },
      example: { data: keyExample },
      headers: ['X-Log-Position'],
    },
    refusals: [undecodable('hash'), withHeaders('not-found', 'X-Log-Position')],
  });

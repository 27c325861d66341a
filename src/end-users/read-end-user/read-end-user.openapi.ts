import { TRACKING_STRING_RULE } from '../../http/field-rules.js';
import { DescribeOperation, fieldRefusal, withHeaders } from '../../http/openapi.js';
import { endUserExample } from '../end-user.openapi.js';

export const DescribeReadEndUser = (): MethodDecorator =>
  DescribeOperation({
    tag: 'End users',
    id: 'readEndUser',
    summary: 'Read an end user',
    description: 'Active or not. Sees every write that was answered before it.',
    success: {
      status: 200,
      description: 'The end user.',
      schema: {
        type: 'object',
        required: ['data'],
        properties: { data: { $ref: '#/components/schemas/EndUser' } },
      },
      example: { data: endUserExample },
      headers: ['X-Log-Position'],
    },
    refusals: [
      fieldRefusal('request-invalid', 'user', TRACKING_STRING_RULE),
      'organization-required',
      withHeaders('not-found', 'X-Log-Position'),
    ],
  });

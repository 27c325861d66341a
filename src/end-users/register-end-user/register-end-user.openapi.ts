import { DescribeOperation, fieldRefusal } from '../../http/openapi.js';
import { WRITE_REFUSALS } from '../../rate-limits/rate-limited.openapi.js';
import { endUserExample } from '../end-user.openapi.js';
import { RegisterEndUserRequest } from './register-end-user.request.js';

export const DescribeRegisterEndUser = (): MethodDecorator =>
  DescribeOperation({
    tag: 'End users',
    id: 'registerEndUser',
    summary: 'Register an end user',
    description:
      'Registers a tracking string with the organization, once. It creates no login of any kind.',
    request: {
      shape: RegisterEndUserRequest,
      examples: { 'an end user': { user: endUserExample.user } },
    },
    success: {
      status: 201,
      description: 'The end user was registered.',
      schema: {
        type: 'object',
        required: ['data'],
        properties: { data: { $ref: '#/components/schemas/EndUser' } },
      },
      example: { data: endUserExample },
    },
    refusals: [
      ...WRITE_REFUSALS,
      fieldRefusal('request-invalid', 'email', 'is not a field of this request'),
      'organization-required',
      'end-user-already-registered',
      'body-too-large',
      'encoding-unsupported',
    ],
  });

import { DescribeOperation, fieldRefusal } from '../../http/openapi.js';
import { WRITE_REFUSALS } from '../../rate-limits/rate-limited.openapi.js';
import { endUserExample } from '../end-user.openapi.js';
import { type EndUserPlace, NAMED } from '../named-end-user.openapi.js';
import { UpdateEndUserRequest } from './update-end-user.request.js';

/** @param place where the request names the end user. */
export const DescribeUpdateEndUser = (place: EndUserPlace): MethodDecorator =>
  DescribeOperation({
    tag: 'End users',
    id: place === 'path' ? 'updateEndUser' : 'updateEndUserByQuery',
    summary: `Deactivate or reactivate an end user${NAMED[place].title}`,
    description: `A reactivated end user is listed in its old place. What is so already is no change.${NAMED[place].text}`,
    request: {
      shape: UpdateEndUserRequest,
      examples: { deactivate: { is_active: false }, reactivate: { is_active: true } },
    },
    success: {
      status: 200,
      description: 'The end user as it is now.',
      schema: {
        type: 'object',
        required: ['data'],
        properties: { data: { $ref: '#/components/schemas/EndUser' } },
      },
      example: {
        data: { ...endUserExample, is_active: false, updated_at: '2026-01-06T10:00:00.000Z' },
      },
    },
    refusals: [
      ...WRITE_REFUSALS,
      fieldRefusal('request-invalid', 'is_active', 'must be a boolean value'),
      'organization-required',
      'not-found',
      'body-too-large',
      'encoding-unsupported',
    ],
  });

import { TRACKING_STRING_RULE } from '../../http/field-rules.js';
import { DescribeOperation, fieldRefusal } from '../../http/openapi.js';
import { WRITE_REFUSALS } from '../../rate-limits/rate-limited.openapi.js';
import { type EndUserPlace, NAMED } from '../named-end-user.openapi.js';

/** @param place where the request names the end user. */
export const DescribeDeactivateEndUser = (place: EndUserPlace): MethodDecorator =>
  DescribeOperation({
    tag: 'End users',
    id: place === 'path' ? 'deactivateEndUser' : 'deactivateEndUserByQuery',
    summary: `Deactivate an end user${NAMED[place].title}`,
    description: `The same as an update to is_active false. The end user stays registered.${NAMED[place].text}`,
    success: { status: 204, description: 'The end user is inactive.' },
    refusals: [
      ...WRITE_REFUSALS,
      fieldRefusal('request-invalid', 'user', TRACKING_STRING_RULE),
      'organization-required',
      'not-found',
    ],
  });

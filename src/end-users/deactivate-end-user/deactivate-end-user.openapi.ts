import { TRACKING_STRING_RULE } from '../../http/field-rules.js';
import { DescribeOperation, fieldRefusal } from '../../http/openapi.js';
import { WRITES_REFUSAL } from '../../rate-limits/rate-limited.openapi.js';

export const DescribeDeactivateEndUser = (): MethodDecorator =>
  DescribeOperation({
    tag: 'End users',
    id: 'deactivateEndUser',
    summary: 'Deactivate an end user',
    description: 'The same as an update to is_active false. The end user stays registered.',
    success: { status: 204, description: 'The end user is inactive.' },
    refusals: [
      WRITES_REFUSAL,
      fieldRefusal('request-invalid', 'user', TRACKING_STRING_RULE),
      'organization-required',
      'not-found',
    ],
  });

import { describedPage, LIMIT_REFUSAL } from '../../http/page.openapi.js';
import { DescribeOperation } from '../../http/openapi.js';
import { endUserExample } from '../end-user.openapi.js';

export const DescribeListEndUsers = (): MethodDecorator =>
  DescribeOperation({
    tag: 'End users',
    id: 'listEndUsers',
    summary: 'List registered end users',
    description:
      'In order of registration, oldest first; deactivated ones only with include_inactive. Sees every write that was answered before it; total_count is exact.',
    success: describedPage('A page and the count of all that match.', 'EndUser', endUserExample),
    refusals: [LIMIT_REFUSAL, 'organization-required'],
  });

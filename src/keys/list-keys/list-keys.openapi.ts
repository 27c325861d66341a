import { describedPage, LIMIT_REFUSAL } from '../../http/page.openapi.js';
import { DescribeOperation, withHeaders } from '../../http/openapi.js';
import { keyExample, WORKSPACE_REFUSAL } from '../key.openapi.js';

export const DescribeListKeys = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Keys',
    id: 'listKeys',
    summary: 'List API keys',
    description:
      'Newest first. Sees every write that was answered before it; total_count is exact. Disabled keys are left out unless asked for.',
    success: describedPage('A page and the count of all that match.', 'Key', keyExample),
    refusals: [LIMIT_REFUSAL, withHeaders(WORKSPACE_REFUSAL, 'X-Log-Position')],
  });

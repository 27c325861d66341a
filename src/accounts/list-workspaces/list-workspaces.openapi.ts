import { describedPage, LIMIT_REFUSAL } from '../../http/page.openapi.js';
import { DescribeOperation } from '../../http/openapi.js';
import { workspaceExample } from '../workspace.openapi.js';

export const DescribeListWorkspaces = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Workspaces',
    id: 'listWorkspaces',
    summary: 'List workspaces',
    description:
      'Oldest first, and so the default workspace before all others. Sees every write that was answered before it; total_count is exact.',
    success: describedPage(
      'A page and the count of all workspaces of the account.',
      'Workspace',
      workspaceExample,
    ),
    refusals: [LIMIT_REFUSAL],
  });

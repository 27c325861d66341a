import { pageAnswer, LIMIT_REFUSAL } from '../../http/described-answers.js';
import { DescribeOperation } from '../../http/openapi.js';
import { describedWorkspace } from '../workspace.openapi.js';

export const DescribeListWorkspaces = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Workspaces',
    id: 'listWorkspaces',
    summary: 'List workspaces',
    description:
      'Oldest first, and so the default workspace before all others. Sees every write that was answered before it; total_count is exact.',
    success: pageAnswer(
      describedWorkspace,
      'A page and the count of all workspaces of the account.',
    ),
    refusals: [LIMIT_REFUSAL],
  });

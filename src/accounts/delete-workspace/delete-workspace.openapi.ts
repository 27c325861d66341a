import { deletedAnswer } from '../../http/described-answers.js';
import { DescribeOperation } from '../../http/openapi.js';
import { undecodable } from '../../http/described-refusals.js';
import { WRITE_REFUSALS } from '../../rate-limits/rate-limited.openapi.js';

export const DescribeDeleteWorkspace = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Workspaces',
    id: 'deleteWorkspace',
    summary: 'Delete a workspace',
    description:
      'For good, by its id or its slug. It must hold no keys but deleted ones. Its memberships end and its slug is free again.',
    path: { workspace: 'Id or slug of the workspace.' },
    success: deletedAnswer('The workspace is gone.'),
    refusals: [
      ...WRITE_REFUSALS,
      'body-too-large',
      undecodable('workspace'),
      'not-found',
      'default-workspace-not-deletable',
      'workspace-holds-keys',
    ],
  });

import { DescribeOperation, undecodable } from '../../http/openapi.js';
import { WRITE_REFUSALS } from '../../rate-limits/rate-limited.openapi.js';

export const DescribeDeleteWorkspace = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Workspaces',
    id: 'deleteWorkspace',
    summary: 'Delete a workspace',
    description:
      'For good, by its id or its slug. It must hold no keys but deleted ones. Its memberships end and its slug is free again.',
    success: {
      status: 200,
      description: 'The workspace is gone.',
      schema: {
        type: 'object',
        required: ['deleted'],
        properties: { deleted: { type: 'boolean', enum: [true] } },
      },
      example: { deleted: true },
    },
    refusals: [
      ...WRITE_REFUSALS,
      undecodable('workspace'),
      'not-found',
      'default-workspace-not-deletable',
      'workspace-holds-keys',
    ],
  });

import { DescribeOperation, undecodable, withHeaders } from '../../http/openapi.js';
import { oneWorkspace, workspaceExample } from '../workspace.openapi.js';

export const DescribeReadWorkspace = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Workspaces',
    id: 'getWorkspace',
    summary: 'Get a workspace',
    description: 'By its id or its slug. Sees every write that was answered before it.',
    success: {
      status: 200,
      description: 'The workspace.',
      schema: oneWorkspace,
      example: { data: workspaceExample },
      headers: ['X-Log-Position'],
    },
    refusals: [undecodable('workspace'), withHeaders('not-found', 'X-Log-Position')],
  });

import { DescribeOperation } from '../../http/openapi.js';
import { undecodable, withHeaders } from '../../http/described-refusals.js';
import { describedWorkspace } from '../workspace.openapi.js';
import { recordAnswer } from '../../http/described-answers.js';

export const DescribeReadWorkspace = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Workspaces',
    id: 'getWorkspace',
    summary: 'Get a workspace',
    description: 'By its id or its slug. Sees every write that was answered before it.',
    path: { workspace: 'Id or slug of the workspace.' },
    success: recordAnswer(describedWorkspace, 'The workspace.', { headers: ['X-Log-Position'] }),
    refusals: [undecodable('workspace'), withHeaders('not-found', 'X-Log-Position')],
  });

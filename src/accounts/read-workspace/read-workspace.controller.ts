import { Controller, Get, Inject, Param, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import { INCLUDES_EARLIER_WRITES, recordAnswer } from '../../http/described-answers.js';
import { undecodable, withHeaders } from '../../http/described-refusals.js';
import { markStale } from '../../http/stale.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';

import type { WorkspaceRecord } from '../domain/workspace.js';
import { describedWorkspace, presentWorkspace, WORKSPACE_IN_PATH } from '../workspace-record.js';
import { ReadWorkspace } from './read-workspace.query.js';

@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class ReadWorkspaceController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get(':workspace')
  @DescribeOperation({
    tag: 'Workspaces',
    id: 'getWorkspace',
    summary: 'Get a workspace',
    description: `The path has the id or the slug. ${INCLUDES_EARLIER_WRITES}`,
    path: WORKSPACE_IN_PATH,
    success: recordAnswer(describedWorkspace, 'The workspace.', { headers: ['Keyledger-Stale'] }),
    refusals: [undecodable('workspace'), withHeaders('not-found', 'Keyledger-Stale')],
  })
  async read(
    @Param('workspace') workspace: string,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: WorkspaceRecord }> {
    const { found, isLate } = await this.queries.execute(new ReadWorkspace(accountId, workspace));
    markStale(response, isLate);
    return { data: presentWorkspace(found) };
  }
}

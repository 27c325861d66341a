import { Controller, Get, Inject, Param, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import { LOG_POSITION_HEADER } from '../../http/log-position.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { recordOf, type WorkspaceRecord } from '../domain/workspace.js';
import { DescribeReadWorkspace } from './read-workspace.openapi.js';
import { ReadWorkspace } from './read-workspace.query.js';

@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class ReadWorkspaceController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get(':workspace')
  @DescribeReadWorkspace()
  async read(
    @Param('workspace') workspace: string,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: WorkspaceRecord }> {
    const { found, position } = await this.queries.execute(new ReadWorkspace(accountId, workspace));
    response.setHeader(LOG_POSITION_HEADER, position);
    return { data: recordOf(found) };
  }
}

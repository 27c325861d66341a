import { Controller, Get, Inject, Param, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../../edge/http/callers/caller.js';
import { ManagementKeyGuard } from '../../../edge/http/callers/management-key.guard.js';
import { one, Operation } from '../../../edge/http/openapi/operation.js';
import { markStale } from '../../../edge/http/answers/stale.js';

import type { WorkspaceRecord } from '../domain/workspace.js';
import { WorkspaceShape, presentWorkspace, WORKSPACE_IN_PATH } from '../workspace-record.js';
import { ReadWorkspace } from './read-workspace.query.js';

@ApiTags('Workspaces')
@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class ReadWorkspaceController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get(':workspace')
  @ApiParam(WORKSPACE_IN_PATH)
  @Operation('getWorkspace', 'Get a workspace', one(WorkspaceShape))
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

import { Controller, Get, Inject, Param, Query, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import { LOG_POSITION_HEADER } from '../../http/log-position.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { pagingOf } from '../../http/paging.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import { DescribeListWorkspaceMembers } from './list-workspace-members.openapi.js';
import { ListWorkspaceMembers } from './list-workspace-members.query.js';
import { DEFAULT_LIMIT, ListWorkspaceMembersRequest } from './list-workspace-members.request.js';

@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class ListWorkspaceMembersController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get(':workspace/members')
  @DescribeListWorkspaceMembers()
  async list(
    @Param('workspace') workspace: string,
    @Query(new ShapePipe(ListWorkspaceMembersRequest)) query: ListWorkspaceMembersRequest,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: { user_id: string }[]; total_count: number }> {
    const asked = new ListWorkspaceMembers(accountId, workspace, pagingOf(query, DEFAULT_LIMIT));
    const { found, position } = await this.queries.execute(asked);
    response.setHeader(LOG_POSITION_HEADER, position);
    return { data: found.userIds.map((user_id) => ({ user_id })), total_count: found.total };
  }
}

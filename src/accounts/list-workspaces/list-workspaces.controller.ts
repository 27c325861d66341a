import { Controller, Get, Inject, Query, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import { LOG_POSITION_HEADER } from '../../http/log-position.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { pagingOf } from '../../http/paging.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import { listedRecordOf, type WorkspaceRecord } from '../domain/workspace.js';
import { DescribeListWorkspaces } from './list-workspaces.openapi.js';
import { ListWorkspaces } from './list-workspaces.query.js';
import { DEFAULT_LIMIT, ListWorkspacesRequest } from './list-workspaces.request.js';

@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class ListWorkspacesController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get()
  @DescribeListWorkspaces()
  async list(
    @Query(new ShapePipe(ListWorkspacesRequest)) query: ListWorkspacesRequest,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: WorkspaceRecord[]; total_count: number }> {
    const { offset, limit } = pagingOf(query, DEFAULT_LIMIT);
    const asked = new ListWorkspaces(accountId, offset, limit);
    const { found, position } = await this.queries.execute(asked);
    response.setHeader(LOG_POSITION_HEADER, position);
    return { data: found.workspaces.map(listedRecordOf), total_count: found.total };
  }
}

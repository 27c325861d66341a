import { Controller, Get, Inject, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../../edge/http/callers/caller.js';
import { ListQuery } from '../../../edge/http/fields/list-query.js';
import { markStale } from '../../../edge/http/answers/stale.js';
import { ManagementKeyGuard } from '../../../edge/http/callers/management-key.guard.js';
import { Operation, page } from '../../../edge/http/openapi/operation.js';
import { LimitParameter, OffsetParameter, pagingOf } from '../../../edge/http/fields/paging.js';

import type { WorkspaceRecord } from '../domain/workspace.js';
import { WorkspaceShape, presentWorkspace } from '../workspace-record.js';
import { ListWorkspaces } from './list-workspaces.query.js';

const DEFAULT_LIMIT = 50;

/** The query parameters of `GET /v1/workspaces` (docs/api.md 2.6), as strings. */
class ListWorkspacesRequest {
  @OffsetParameter()
  readonly offset?: string;

  @LimitParameter(DEFAULT_LIMIT)
  readonly limit?: string;
}

@ApiTags('Workspaces')
@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class ListWorkspacesController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get()
  @Operation('listWorkspaces', 'List workspaces, oldest first', page(WorkspaceShape))
  async list(
    @ListQuery(ListWorkspacesRequest) query: ListWorkspacesRequest,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: WorkspaceRecord[]; total_count: number }> {
    const asked = new ListWorkspaces(accountId, pagingOf(query, DEFAULT_LIMIT));
    const { found, isLate } = await this.queries.execute(asked);
    markStale(response, isLate);
    return { data: found.workspaces.map(presentWorkspace), total_count: found.total };
  }
}

import { Controller, Get, Inject, Param, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../../edge/http/callers/caller.js';
import { ListQuery } from '../../../edge/http/fields/list-query.js';
import { markStale } from '../../../edge/http/answers/stale.js';
import { ManagementKeyGuard } from '../../../edge/http/callers/management-key.guard.js';
import { Operation, page } from '../../../edge/http/openapi/operation.js';
import { LimitParameter, OffsetParameter, pagingOf } from '../../../edge/http/fields/paging.js';
import { Member, presentMembers } from '../workspace-members.js';
import { WORKSPACE_IN_PATH } from '../workspace-record.js';
import { ListWorkspaceMembers } from './list-workspace-members.query.js';

const DEFAULT_LIMIT = 100;

/** The query parameters of `GET /v1/workspaces/{workspace}/members` (docs/api.md 2.7), as strings. */
class ListWorkspaceMembersRequest {
  @OffsetParameter()
  readonly offset?: string;

  @LimitParameter(DEFAULT_LIMIT)
  readonly limit?: string;
}

@ApiTags('Workspaces')
@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class ListWorkspaceMembersController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get(':workspace/members')
  @ApiParam(WORKSPACE_IN_PATH)
  @Operation('listWorkspaceMembers', 'List the members of a workspace', page(Member))
  async list(
    @Param('workspace') workspace: string,
    @ListQuery(ListWorkspaceMembersRequest) query: ListWorkspaceMembersRequest,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: Member[]; total_count: number }> {
    const asked = new ListWorkspaceMembers(accountId, workspace, pagingOf(query, DEFAULT_LIMIT));
    const { found, isLate } = await this.queries.execute(asked);
    markStale(response, isLate);
    return { data: presentMembers(found.userIds), total_count: found.total };
  }
}

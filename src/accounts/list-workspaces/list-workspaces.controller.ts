import { Controller, Get, Inject, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import {
  INCLUDES_EARLIER_WRITES,
  LIMIT_REFUSAL,
  pageAnswer,
} from '../../http/described-answers.js';
import { ListQuery } from '../../http/list-query.js';
import { markStale } from '../../http/stale.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';
import { LimitParameter, OffsetParameter, pagingOf } from '../../http/paging.js';

import type { WorkspaceRecord } from '../domain/workspace.js';
import { describedWorkspace, presentWorkspace } from '../workspace-record.js';
import { ListWorkspaces } from './list-workspaces.query.js';

const DEFAULT_LIMIT = 50;

/** The query parameters of `GET /v1/workspaces` (docs/api.md 2.6), as strings. */
class ListWorkspacesRequest {
  @OffsetParameter()
  readonly offset?: string;

  @LimitParameter(DEFAULT_LIMIT)
  readonly limit?: string;
}

@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class ListWorkspacesController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get()
  @DescribeOperation({
    tag: 'Workspaces',
    id: 'listWorkspaces',
    summary: 'List workspaces',
    description: `The list is oldest first, so it begins with the default workspace. ${INCLUDES_EARLIER_WRITES} total_count is exact.`,
    success: pageAnswer(
      describedWorkspace,
      'A page, and the count of all workspaces of the account.',
    ),
    refusals: [LIMIT_REFUSAL],
  })
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

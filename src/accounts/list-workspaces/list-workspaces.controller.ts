import { Controller, Get, Inject, Query, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import {
  INCLUDES_EARLIER_WRITES,
  LIMIT_REFUSAL,
  pageAnswer,
} from '../../http/described-answers.js';
import { setLogPosition } from '../../http/log-position.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';
import { placeAsked, setNextLink } from '../../http/next-link.js';
import { CursorParameter, LimitParameter, OffsetParameter, pagingOf } from '../../http/paging.js';
import { ShapePipe } from '../../http/shape.pipe.js';

import {
  type AnsweredWorkspace,
  describedWorkspace,
  presentWorkspace,
} from '../workspace-record.js';
import { ListWorkspaces } from './list-workspaces.query.js';

const DEFAULT_LIMIT = 50;

/** The query parameters of `GET /v1/workspaces` (docs/api.md 2.6), as strings. Unknown parameters are ignored. */
class ListWorkspacesRequest {
  @OffsetParameter()
  readonly offset?: string;

  @LimitParameter(DEFAULT_LIMIT)
  readonly limit?: string;

  @CursorParameter()
  readonly cursor?: string;
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
      ['Link'],
    ),
    refusals: [LIMIT_REFUSAL],
  })
  async list(
    @Query(new ShapePipe(ListWorkspacesRequest)) query: ListWorkspacesRequest,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: AnsweredWorkspace[]; total_count: number }> {
    const asked = { list: 'workspaces', caller, query };
    const page = { ...pagingOf(query, DEFAULT_LIMIT), after: placeAsked(asked) };
    const { found, position } = await this.queries.execute(
      new ListWorkspaces(caller.accountId, page),
    );
    setLogPosition(response, position);
    setNextLink(response, asked, found.next);
    return { data: found.workspaces.map(presentWorkspace), total_count: found.total };
  }
}

import { Controller, Get, Inject, Param, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import { LIMIT_REFUSAL } from '../../http/described-answers.js';
import { withHeaders } from '../../http/described-refusals.js';
import { ListQuery } from '../../http/list-query.js';
import { markStale } from '../../http/stale.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';
import { LimitParameter, OffsetParameter, pagingOf } from '../../http/paging.js';
import { type MemberRecord, MEMBERS_SCHEMA, presentMembers } from '../workspace-members.js';
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

@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class ListWorkspaceMembersController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get(':workspace/members')
  @DescribeOperation({
    tag: 'Workspaces',
    id: 'listWorkspaceMembers',
    summary: 'List the members of a workspace',
    description:
      'Members are in the order in which they joined. The members of the default workspace are the members of the account.',
    path: WORKSPACE_IN_PATH,
    success: {
      status: 200,
      description: 'A page, and the count of all members.',
      schema: {
        type: 'object',
        required: ['data', 'total_count'],
        properties: {
          data: MEMBERS_SCHEMA,
          total_count: { type: 'integer', minimum: 0, description: 'All members.' },
        },
      },
      example: { data: presentMembers(['user-ada', 'user-grace']), total_count: 2 },
      headers: ['Keyledger-Stale'],
    },
    refusals: [LIMIT_REFUSAL, withHeaders('not-found', 'Keyledger-Stale')],
  })
  async list(
    @Param('workspace') workspace: string,
    @ListQuery(ListWorkspaceMembersRequest) query: ListWorkspaceMembersRequest,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: MemberRecord[]; total_count: number }> {
    const asked = new ListWorkspaceMembers(accountId, workspace, pagingOf(query, DEFAULT_LIMIT));
    const { found, isLate } = await this.queries.execute(asked);
    markStale(response, isLate);
    return { data: presentMembers(found.userIds), total_count: found.total };
  }
}

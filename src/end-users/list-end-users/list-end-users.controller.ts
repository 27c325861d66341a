import { Controller, Get, Inject, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import {
  INCLUDES_EARLIER_WRITES,
  LIMIT_REFUSAL,
  pageAnswer,
} from '../../http/described-answers.js';
import { TrackingString } from '../../http/field-decorators.js';
import { ListQuery } from '../../http/list-query.js';
import { markStale } from '../../http/stale.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';
import { LimitParameter, OffsetParameter, pagingOf } from '../../http/paging.js';
import { FlagParameter, Parameter } from '../../http/query-decorators.js';
import { describedEndUser, type EndUserRecord, presentEndUser } from '../end-user-record.js';
import { organizationOf } from '../end-user-routes.js';
import { ListEndUsers } from './list-end-users.query.js';

export const DEFAULT_LIMIT = 50;

/** The query parameters of `GET /v1/end-users` (docs/api.md 5.3), as strings. */
export class ListEndUsersRequest {
  @OffsetParameter()
  readonly offset?: string;

  @LimitParameter(DEFAULT_LIMIT)
  readonly limit?: string;

  @Parameter(TrackingString('Only the end user with exactly this tracking string.'))
  readonly user?: string;

  @FlagParameter('Whether deactivated end users are listed and counted too.')
  readonly include_inactive?: string;
}

@Controller('v1/end-users')
@UseGuards(ManagementKeyGuard)
export class ListEndUsersController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get()
  @DescribeOperation({
    tag: 'End users',
    id: 'listEndUsers',
    summary: 'List registered end users',
    description: `The list is in order of registration, oldest first. Deactivated end users are listed only with include_inactive. ${INCLUDES_EARLIER_WRITES} total_count is exact.`,
    success: pageAnswer(describedEndUser, 'A page, and the count of all matching records.'),
    refusals: [LIMIT_REFUSAL, 'organization-required'],
  })
  async list(
    @ListQuery(ListEndUsersRequest) query: ListEndUsersRequest,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: EndUserRecord[]; total_count: number }> {
    const { endUsers, total, isLate } = await this.queries.execute(
      new ListEndUsers(organizationOf(caller), {
        user: query.user,
        includeInactive: query.include_inactive === 'true',
        ...pagingOf(query, DEFAULT_LIMIT),
      }),
    );
    markStale(response, isLate);
    return { data: endUsers.map(presentEndUser), total_count: total };
  }
}

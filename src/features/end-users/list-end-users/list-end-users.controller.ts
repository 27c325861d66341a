import { Controller, Get, Inject, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../../edge/http/callers/caller.js';
import { TrackingString } from '../../../edge/http/fields/field-decorators.js';
import { ListQuery } from '../../../edge/http/fields/list-query.js';
import { markStale } from '../../../edge/http/answers/stale.js';
import { ManagementKeyGuard } from '../../../edge/http/callers/management-key.guard.js';
import { Operation, page } from '../../../edge/http/openapi/operation.js';
import { LimitParameter, OffsetParameter, pagingOf } from '../../../edge/http/fields/paging.js';
import { FlagParameter, Parameter } from '../../../edge/http/fields/query-decorators.js';
import { EndUserShape, type EndUserRecord, presentEndUser } from '../end-user-record.js';
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

@ApiTags('End users')
@Controller('v1/end-users')
@UseGuards(ManagementKeyGuard)
export class ListEndUsersController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get()
  @Operation('listEndUsers', 'List registered end users, oldest first', page(EndUserShape))
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

import { Controller, Get, Inject, Query, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import { LOG_POSITION_HEADER } from '../../http/log-position.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { pagingOf } from '../../http/paging.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import { type EndUserRecord, presentEndUser } from '../domain/end-user-record.js';
import { END_USER_ROUTES } from '../end-user-routes.js';
import { organizationOf } from '../organization-of.js';
import { DescribeListEndUsers } from './list-end-users.openapi.js';
import { ListEndUsers } from './list-end-users.query.js';
import { DEFAULT_LIMIT, ListEndUsersRequest } from './list-end-users.request.js';

@Controller(END_USER_ROUTES)
@UseGuards(ManagementKeyGuard)
export class ListEndUsersController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get()
  @DescribeListEndUsers()
  async list(
    @Query(new ShapePipe(ListEndUsersRequest)) query: ListEndUsersRequest,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: EndUserRecord[]; total_count: number }> {
    const { endUsers, total, position } = await this.queries.execute(
      new ListEndUsers(organizationOf(caller), {
        user: query.user,
        includeInactive: query.include_inactive === 'true',
        ...pagingOf(query, DEFAULT_LIMIT),
      }),
    );
    response.setHeader(LOG_POSITION_HEADER, position);
    return { data: endUsers.map(presentEndUser), total_count: total };
  }
}

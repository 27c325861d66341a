import { Controller, Get, Inject, Param, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import { LOG_POSITION_HEADER } from '../../http/log-position.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import { notFound } from '../../kernel/errors.js';
import { type EndUserRecord, presentEndUser } from '../domain/end-user-record.js';
import { EndUserPath, isAddress } from '../end-user-path.js';
import { END_USER_ROUTES } from '../end-user-routes.js';
import { organizationOf } from '../organization-of.js';
import { DescribeReadEndUser } from './read-end-user.openapi.js';
import { ReadEndUser } from './read-end-user.query.js';

@Controller(END_USER_ROUTES)
@UseGuards(ManagementKeyGuard)
export class ReadEndUserController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get(':user')
  @DescribeReadEndUser()
  async read(
    @Param(new ShapePipe(EndUserPath)) path: EndUserPath,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: EndUserRecord }> {
    const { endUser, position } = await this.queries.execute(
      new ReadEndUser(organizationOf(caller), path.user),
    );
    if (!endUser || !isAddress(path)) throw notFound(position);
    response.setHeader(LOG_POSITION_HEADER, position);
    return { data: presentEndUser(endUser) };
  }
}

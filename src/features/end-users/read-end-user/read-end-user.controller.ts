import { Controller, Get, Inject, Param, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../../edge/http/callers/caller.js';
import { ManagementKeyGuard } from '../../../edge/http/callers/management-key.guard.js';
import { one, Operation } from '../../../edge/http/openapi/operation.js';
import { ShapePipe } from '../../../edge/http/fields/shape.pipe.js';
import { markStale } from '../../../edge/http/answers/stale.js';
import { EndUserShape, type EndUserRecord, presentEndUser } from '../end-user-record.js';
import { addressed, EndUserPath, organizationOf } from '../end-user-routes.js';
import { ReadEndUser } from './read-end-user.query.js';

@ApiTags('End users')
@Controller('v1/end-users')
@UseGuards(ManagementKeyGuard)
export class ReadEndUserController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get(':user')
  @Operation('readEndUser', 'Read an end user, active or not', one(EndUserShape))
  async read(
    @Param(new ShapePipe(EndUserPath)) path: EndUserPath,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: EndUserRecord }> {
    const query = new ReadEndUser(organizationOf(caller), addressed(path));
    const { found, isLate } = await this.queries.execute(query);
    markStale(response, isLate);
    return { data: presentEndUser(found) };
  }
}

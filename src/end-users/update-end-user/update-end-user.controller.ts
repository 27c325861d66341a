import {
  Body,
  Controller,
  Inject,
  Param,
  Patch,
  Query,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Caller, CurrentCaller, RequestOrigin } from '../../http/caller.js';
import { JsonBodyInterceptor } from '../../http/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import type { Origin } from '../../kernel/metadata.js';
import { type EndUserRecord, presentEndUser } from '../domain/end-user-record.js';
import { addressed, EndUserPath } from '../end-user-path.js';
import { EndUserQuery } from '../end-user-query.js';
import { END_USER_ROUTES } from '../end-user-routes.js';
import { organizationOf } from '../organization-of.js';
import { UpdateEndUser } from './update-end-user.command.js';
import { DescribeUpdateEndUser } from './update-end-user.openapi.js';
import { UpdateEndUserRequest } from './update-end-user.request.js';

@Controller(END_USER_ROUTES)
@UseGuards(ManagementKeyGuard)
export class UpdateEndUserController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Patch(':user')
  @UseInterceptors(JsonBodyInterceptor)
  @DescribeUpdateEndUser('path')
  async update(
    @Param(new ShapePipe(EndUserPath)) path: EndUserPath,
    @Body(new ShapePipe(UpdateEndUserRequest, 'refused')) body: UpdateEndUserRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: EndUserRecord }> {
    const active = body.is_active === true;
    const command = new UpdateEndUser(organizationOf(caller), addressed(path), active, origin);
    return { data: presentEndUser(await this.commands.execute(command)) };
  }

  @Patch()
  @UseInterceptors(JsonBodyInterceptor)
  @DescribeUpdateEndUser('query')
  async updateByQuery(
    @Query(new ShapePipe(EndUserQuery)) { user }: EndUserQuery,
    @Body(new ShapePipe(UpdateEndUserRequest, 'refused')) body: UpdateEndUserRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: EndUserRecord }> {
    const active = body.is_active === true;
    const command = new UpdateEndUser(organizationOf(caller), user, active, origin);
    return { data: presentEndUser(await this.commands.execute(command)) };
  }
}

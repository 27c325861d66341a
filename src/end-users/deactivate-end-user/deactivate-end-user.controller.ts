import { Controller, Delete, HttpCode, Inject, Param, Query, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Caller, CurrentCaller, RequestOrigin } from '../../http/caller.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import type { Origin } from '../../kernel/metadata.js';
import { addressed, EndUserPath } from '../end-user-path.js';
import { EndUserQuery } from '../end-user-query.js';
import { END_USER_ROUTES } from '../end-user-routes.js';
import { organizationOf } from '../organization-of.js';
import { UpdateEndUser } from '../update-end-user/update-end-user.command.js';
import { DescribeDeactivateEndUser } from './deactivate-end-user.openapi.js';

/** Another way to ask for `UpdateEndUser`. */
@Controller(END_USER_ROUTES)
@UseGuards(ManagementKeyGuard)
export class DeactivateEndUserController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Delete(':user')
  @HttpCode(204)
  @DescribeDeactivateEndUser('path')
  async deactivate(
    @Param(new ShapePipe(EndUserPath)) path: EndUserPath,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<void> {
    await this.commands.execute(
      new UpdateEndUser(organizationOf(caller), addressed(path), false, origin),
    );
  }

  @Delete()
  @HttpCode(204)
  @DescribeDeactivateEndUser('query')
  async deactivateByQuery(
    @Query(new ShapePipe(EndUserQuery)) { user }: EndUserQuery,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<void> {
    await this.commands.execute(new UpdateEndUser(organizationOf(caller), user, false, origin));
  }
}

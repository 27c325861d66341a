import { Controller, Delete, HttpCode, Inject, Param, Query, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Caller, CurrentCaller, RequestOrigin } from '../../http/caller.js';
import { fieldRefusal } from '../../http/described-refusals.js';
import { TRACKING_STRING_RULE } from '../../http/field-rules.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import type { Origin } from '../../kernel/metadata.js';
import { WRITE_REFUSALS } from '../../rate-limits/rate-limited.openapi.js';
import {
  addressed,
  END_USER_ROUTES,
  EndUserPath,
  type EndUserPlace,
  EndUserQuery,
  NAMED,
  organizationOf,
} from '../end-user-routes.js';
import { UpdateEndUser } from '../update-end-user/update-end-user.command.js';

const INACTIVE = { is_active: false };

const Describe = (place: EndUserPlace): MethodDecorator =>
  DescribeOperation({
    tag: 'End users',
    id: place === 'path' ? 'deactivateEndUser' : 'deactivateEndUserByQuery',
    summary: `Deactivate an end user${NAMED[place].title}`,
    description: `The same as an update to is_active false. The end user stays registered.${NAMED[place].text}`,
    success: { status: 204, description: 'The end user is inactive.' },
    refusals: [
      ...WRITE_REFUSALS,
      fieldRefusal('request-invalid', 'user', TRACKING_STRING_RULE),
      'organization-required',
      'not-found',
    ],
  });

/** The DELETE routes, which deactivate an end user. They run `UpdateEndUser`, as the PATCH routes do (docs/api.md 5.6). */
@Controller(END_USER_ROUTES)
@UseGuards(ManagementKeyGuard)
export class DeactivateEndUserController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Delete(':user')
  @HttpCode(204)
  @Describe('path')
  async deactivate(
    @Param(new ShapePipe(EndUserPath)) path: EndUserPath,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<void> {
    await this.commands.execute(
      new UpdateEndUser(organizationOf(caller), addressed(path), INACTIVE, origin),
    );
  }

  @Delete()
  @HttpCode(204)
  @Describe('query')
  async deactivateByQuery(
    @Query(new ShapePipe(EndUserQuery)) { user }: EndUserQuery,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<void> {
    await this.commands.execute(new UpdateEndUser(organizationOf(caller), user, INACTIVE, origin));
  }
}

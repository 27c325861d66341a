import { Controller, Delete, HttpCode, Inject, Param, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Caller, CurrentCaller, RequestOrigin } from '../../http/caller.js';
import { fieldRefusal } from '../../http/described-refusals.js';
import { TRACKING_STRING_RULE } from '../../http/field-rules.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import type { Origin } from '../../kernel/metadata.js';
import { WRITE_REFUSALS } from '../../rate-limits/rate-limited.openapi.js';
import { addressed, EndUserPath, organizationOf } from '../end-user-routes.js';
import { UpdateEndUser } from '../update-end-user/update-end-user.command.js';

const INACTIVE = { is_active: false };

/** The DELETE route, which deactivates an end user. It runs `UpdateEndUser`, as the PATCH route does (docs/api.md 5.6). */
@Controller('v1/end-users')
@UseGuards(ManagementKeyGuard)
export class DeactivateEndUserController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Delete(':user')
  @HttpCode(204)
  @DescribeOperation({
    tag: 'End users',
    id: 'deactivateEndUser',
    summary: 'Deactivate an end user',
    description: 'The same as an update to is_active false. The end user stays registered.',
    success: { status: 204, description: 'The end user is inactive.' },
    refusals: [
      ...WRITE_REFUSALS,
      fieldRefusal('request-invalid', 'user', TRACKING_STRING_RULE),
      'organization-required',
      'not-found',
    ],
  })
  async deactivate(
    @Param(new ShapePipe(EndUserPath)) path: EndUserPath,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<void> {
    await this.commands.execute(
      new UpdateEndUser(organizationOf(caller), addressed(path), INACTIVE, origin),
    );
  }
}

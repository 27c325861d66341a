import { Controller, Delete, HttpCode, Inject, Param, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, RequestOrigin } from '../../../edge/http/callers/caller.js';
import { ManagementKeyGuard } from '../../../edge/http/callers/management-key.guard.js';
import { Operation } from '../../../edge/http/openapi/operation.js';
import { ShapePipe } from '../../../edge/http/fields/shape.pipe.js';
import type { Origin } from '../../../kernel/metadata.js';
import { addressed, EndUserPath, organizationOf } from '../end-user-routes.js';
import { UpdateEndUser } from '../update-end-user/update-end-user.command.js';

const INACTIVE = { is_active: false };

/** The DELETE route, which deactivates an end user. It runs `UpdateEndUser`, as the PATCH route does (docs/api.md 5.6). */
@ApiTags('End users')
@Controller('v1/end-users')
@UseGuards(ManagementKeyGuard)
export class DeactivateEndUserController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Delete(':user')
  @HttpCode(204)
  @Operation('deactivateEndUser', 'Deactivate an end user, who stays registered', { status: 204 })
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

import { Body, Controller, Inject, Param, Patch, UseGuards, UseInterceptors } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, RequestOrigin } from '../../../edge/http/callers/caller.js';
import { JsonBodyInterceptor } from '../../../edge/http/requests/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../../edge/http/callers/management-key.guard.js';
import { one, Operation } from '../../../edge/http/openapi/operation.js';
import { ShapePipe } from '../../../edge/http/fields/shape.pipe.js';
import type { Origin } from '../../../kernel/metadata.js';
import { EndUserShape, type EndUserRecord, presentEndUser } from '../end-user-record.js';
import { addressed, EndUserPath, organizationOf } from '../end-user-routes.js';
import { UpdateEndUser, UpdateEndUserRequest } from './update-end-user.command.js';

@ApiTags('End users')
@Controller('v1/end-users')
@UseGuards(ManagementKeyGuard)
export class UpdateEndUserController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Patch(':user')
  @UseInterceptors(JsonBodyInterceptor)
  @Operation('updateEndUser', 'Deactivate or reactivate an end user', one(EndUserShape))
  async update(
    @Param(new ShapePipe(EndUserPath)) path: EndUserPath,
    @Body(new ShapePipe(UpdateEndUserRequest, 'refused')) body: UpdateEndUserRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: EndUserRecord }> {
    const command = new UpdateEndUser(organizationOf(caller), addressed(path), body, origin);
    return { data: presentEndUser(await this.commands.execute(command)) };
  }
}

import {
  Body,
  Controller,
  HttpCode,
  Inject,
  Post,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, RequestOrigin } from '../../../edge/http/callers/caller.js';
import { JsonBodyInterceptor } from '../../../edge/http/requests/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../../edge/http/callers/management-key.guard.js';
import { one, Operation } from '../../../edge/http/openapi/operation.js';
import { ShapePipe } from '../../../edge/http/fields/shape.pipe.js';
import type { Origin } from '../../../kernel/metadata.js';
import { EndUserShape, type EndUserRecord, presentEndUser } from '../end-user-record.js';
import { organizationOf } from '../end-user-routes.js';
import { RegisterEndUser, RegisterEndUserRequest } from './register-end-user.command.js';

@ApiTags('End users')
@Controller('v1/end-users')
@UseGuards(ManagementKeyGuard)
export class RegisterEndUserController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(201)
  @UseInterceptors(JsonBodyInterceptor)
  @Operation('registerEndUser', 'Register an end user', one(EndUserShape, 201))
  async register(
    @Body(new ShapePipe(RegisterEndUserRequest, 'refused')) body: RegisterEndUserRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: EndUserRecord }> {
    const command = new RegisterEndUser(organizationOf(caller), body, origin);
    return { data: presentEndUser(await this.commands.execute(command)) };
  }
}

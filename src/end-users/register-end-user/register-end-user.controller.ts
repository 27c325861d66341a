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
import { type Caller, CurrentCaller, RequestOrigin } from '../../http/caller.js';
import { JsonBodyInterceptor } from '../../http/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import type { Origin } from '../../kernel/metadata.js';
import { type EndUserRecord, presentEndUser } from '../domain/end-user-record.js';
import { END_USER_ROUTES } from '../end-user-routes.js';
import { organizationOf } from '../organization-of.js';
import { RegisterEndUser } from './register-end-user.command.js';
import { DescribeRegisterEndUser } from './register-end-user.openapi.js';
import { RegisterEndUserRequest } from './register-end-user.request.js';

@Controller(END_USER_ROUTES)
@UseGuards(ManagementKeyGuard)
export class RegisterEndUserController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(201)
  @UseInterceptors(JsonBodyInterceptor)
  @DescribeRegisterEndUser()
  async register(
    @Body(new ShapePipe(RegisterEndUserRequest, 'refused')) { user }: RegisterEndUserRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: EndUserRecord }> {
    const command = new RegisterEndUser(organizationOf(caller), user, origin);
    return { data: presentEndUser(await this.commands.execute(command)) };
  }
}

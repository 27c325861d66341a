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
import { recordAnswer } from '../../http/described-answers.js';
import { fieldRefusal } from '../../http/described-refusals.js';
import { JsonBodyInterceptor } from '../../http/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import type { Origin } from '../../kernel/metadata.js';
import { WRITE_REFUSALS } from '../../rate-limits/rate-limited.openapi.js';
import { describedEndUser, type EndUserRecord, presentEndUser } from '../end-user-record.js';
import { organizationOf } from '../end-user-routes.js';
import { RegisterEndUser, RegisterEndUserRequest } from './register-end-user.command.js';

@Controller('v1/end-users')
@UseGuards(ManagementKeyGuard)
export class RegisterEndUserController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(201)
  @UseInterceptors(JsonBodyInterceptor)
  @DescribeOperation({
    tag: 'End users',
    id: 'registerEndUser',
    summary: 'Register an end user',
    description:
      'Registers a tracking string with the organization, once. It creates no login of any kind.',
    request: {
      shape: RegisterEndUserRequest,
      examples: { 'an end user': { user: describedEndUser.example.user } },
    },
    success: recordAnswer(describedEndUser, 'The end user was registered.', { status: 201 }),
    refusals: [
      ...WRITE_REFUSALS,
      fieldRefusal('request-invalid', 'email', 'is not a field of this request'),
      'organization-required',
      'end-user-already-registered',
    ],
  })
  async register(
    @Body(new ShapePipe(RegisterEndUserRequest, 'refused')) body: RegisterEndUserRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: EndUserRecord }> {
    const command = new RegisterEndUser(organizationOf(caller), body, origin);
    return { data: presentEndUser(await this.commands.execute(command)) };
  }
}

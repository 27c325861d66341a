import { Body, Controller, Inject, Param, Patch, UseGuards, UseInterceptors } from '@nestjs/common';
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
import { addressed, EndUserPath, organizationOf } from '../end-user-routes.js';
import { UpdateEndUser, UpdateEndUserRequest } from './update-end-user.command.js';

const { shape, example } = describedEndUser;
const inactive = { ...example, is_active: false, updated_at: '2026-01-06T10:00:00.000Z' };

@Controller('v1/end-users')
@UseGuards(ManagementKeyGuard)
export class UpdateEndUserController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Patch(':user')
  @UseInterceptors(JsonBodyInterceptor)
  @DescribeOperation({
    tag: 'End users',
    id: 'updateEndUser',
    summary: 'Deactivate or reactivate an end user',
    description:
      'A reactivated end user is listed in its old place. A value that is already set is no change.',
    request: {
      shape: UpdateEndUserRequest,
      examples: { deactivate: { is_active: false }, reactivate: { is_active: true } },
    },
    success: recordAnswer({ shape, example: inactive }, 'The end user after the update.'),
    refusals: [
      ...WRITE_REFUSALS,
      fieldRefusal('request-invalid', 'is_active', 'must be a boolean value'),
      'organization-required',
      'not-found',
    ],
  })
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

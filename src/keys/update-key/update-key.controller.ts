import { Body, Controller, Inject, Param, Patch, UseGuards, UseInterceptors } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Caller, CurrentCaller, RequestOrigin } from '../../http/caller.js';
import { JsonBodyInterceptor } from '../../http/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { notFound, Refusal } from '../../kernel/errors.js';
import type { Origin } from '../../kernel/metadata.js';
import { isKeyHash } from '../../key-strings/key-string.js';
import { type KeyRecord, presentKey } from '../domain/key-record.js';
import { UpdateKey } from './update-key.command.js';
import { DescribeUpdateKey } from './update-key.openapi.js';
import { UpdateKeyRequest } from './update-key.request.js';

@Controller('v1/keys')
@UseGuards(ManagementKeyGuard)
export class UpdateKeyController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Patch(':hash')
  @UseInterceptors(JsonBodyInterceptor)
  @DescribeUpdateKey()
  async update(
    @Param('hash') hash: string,
    @Body(new ShapePipe(UpdateKeyRequest)) body: UpdateKeyRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: KeyRecord }> {
    if (Object.keys(body).length === 0) throw new Refusal('no-update-fields');
    if (!isKeyHash(hash)) throw notFound();
    const command = new UpdateKey(caller, hash, body, origin);
    const key = await this.commands.execute(command);
    return { data: presentKey(key, this.clock.now()) };
  }
}

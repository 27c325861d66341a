import { Body, Controller, Inject, Param, Patch, UseGuards, UseInterceptors } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, RequestOrigin } from '../../../edge/http/callers/caller.js';
import { JsonBodyInterceptor } from '../../../edge/http/requests/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../../edge/http/callers/management-key.guard.js';
import { one, Operation } from '../../../edge/http/openapi/operation.js';
import { ShapePipe } from '../../../edge/http/fields/shape.pipe.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { notFound, Refusal } from '../../../kernel/errors.js';
import type { Origin } from '../../../kernel/metadata.js';
import { isKeyHash } from '../../../kernel/key-string.js';
import { KeyShape, type KeyRecord, presentKey } from '../key-record.js';
import { HASH_IN_PATH } from '../key.fields.js';
import { UpdateKey, UpdateKeyRequest } from './update-key.command.js';

@ApiTags('Keys')
@Controller('v1/keys')
@UseGuards(ManagementKeyGuard)
export class UpdateKeyController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Patch(':hash')
  @UseInterceptors(JsonBodyInterceptor)
  @ApiParam(HASH_IN_PATH)
  @Operation('updateKey', 'Change the given fields of an API key', one(KeyShape))
  async update(
    @Param('hash') hash: string,
    @Body(new ShapePipe(UpdateKeyRequest)) body: UpdateKeyRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: KeyRecord }> {
    if (Object.keys(body).length === 0) throw new Refusal('no-update-fields');
    if (!isKeyHash(hash)) throw notFound();
    const key = await this.commands.execute(new UpdateKey(caller, hash, body, origin));
    return { data: presentKey(key, this.clock.now()) };
  }
}

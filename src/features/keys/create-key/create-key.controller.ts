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
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import type { Origin } from '../../../kernel/metadata.js';
import { hashKeyString, mintKeyString } from '../../../kernel/key-string.js';
import { KeyShape, type KeyRecord, presentKey } from '../key-record.js';
import { CreateKey, CreateKeyRequest } from './create-key.command.js';
import { KeyCreationLimitInterceptor } from './key-creation-limit.interceptor.js';
import { KeyQuota } from './key-quota.js';

const KEY_STRING = { type: 'string', description: 'The key string, shown only once.' };

@ApiTags('Keys')
@Controller('v1/keys')
@UseGuards(ManagementKeyGuard)
export class CreateKeyController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(KeyQuota) private readonly quota: KeyQuota,
  ) {}

  /** The key string exists in this function and in the response, nowhere else. */
  @Post()
  @HttpCode(201)
  @UseInterceptors(KeyCreationLimitInterceptor, JsonBodyInterceptor)
  @Operation(
    'createKey',
    'Create an API key, whose key string no other answer has',
    one(KeyShape, 201, { key: KEY_STRING }),
  )
  async create(
    @Body(new ShapePipe(CreateKeyRequest)) body: CreateKeyRequest,
    @CurrentCaller() { accountId, userId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: KeyRecord; key: string }> {
    await this.quota.admit(accountId);
    const keyString = mintKeyString('sk-v1-');
    const command = new CreateKey(accountId, hashKeyString(keyString), userId, body, origin);
    const key = await this.commands.execute(command);
    return { data: { ...presentKey(key, this.clock.now()), external_user: null }, key: keyString };
  }
}

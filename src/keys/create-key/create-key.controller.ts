import { hash } from 'node:crypto';
import {
  Body,
  Controller,
  Header,
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
import { CLOCK, type Clock } from '../../kernel/clock.js';
import type { Origin } from '../../kernel/metadata.js';
import { parseUtcTimestamp } from '../../kernel/utc-timestamp.js';
import { hashKeyString, mintKeyString } from '../../key-strings/key-string.js';
import { type KeyRecord, presentKey } from '../domain/key-record.js';
import { CreateKey } from './create-key.command.js';
import { DescribeCreateKey } from './create-key.openapi.js';
import { CreateKeyRequest, type ExternalIdentity } from './create-key.request.js';
import { KeyCreationLimitInterceptor } from './key-creation-limit.interceptor.js';
import { KeyQuota } from './key-quota.js';

@Controller('v1/keys')
@UseGuards(ManagementKeyGuard)
export class CreateKeyController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(KeyQuota) private readonly quota: KeyQuota,
  ) {}

  /** The key string lives in this function and in the response, nowhere else. */
  @Post()
  @HttpCode(201)
  @Header('Cache-Control', 'no-store')
  @UseInterceptors(KeyCreationLimitInterceptor, JsonBodyInterceptor)
  @DescribeCreateKey()
  async create(
    @Body(new ShapePipe(CreateKeyRequest)) body: CreateKeyRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: KeyRecord; key: string }> {
    await this.quota.admit(caller.accountId);
    const keyString = mintKeyString('sk-v1-');
    const key = await this.commands.execute(
      new CreateKey(
        {
          hash: hashKeyString(keyString),
          account_id: caller.accountId,
          name: body.name,
          creator_user_id: body.creator_user_id ?? caller.userId,
          limit: body.limit ?? null,
          limit_reset: body.limit_reset ?? null,
          include_byok_in_limit: body.include_byok_in_limit ?? false,
          expires_at: body.expires_at == null ? null : parseUtcTimestamp(body.expires_at),
          external: body.external ? withHashedLookupKey(body.external) : null,
        },
        body.workspace_id ?? undefined,
        origin,
      ),
    );
    return { data: { ...presentKey(key, this.clock.now()), external_user: null }, key: keyString };
  }
}

function withHashedLookupKey({ user, lookup_key, api_key }: ExternalIdentity): {
  user: string;
  lookup_key_hash: string | null;
} {
  const lookupKey = lookup_key ?? api_key;
  const lookup_key_hash = lookupKey == null ? null : hash('sha256', lookupKey, 'hex');
  return { user, lookup_key_hash };
}

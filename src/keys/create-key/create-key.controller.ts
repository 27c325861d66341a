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
import { fieldRefusal, quotaRefusal } from '../../http/described-refusals.js';
import { USD_RULE } from '../../http/field-rules.js';
import { JsonBodyInterceptor } from '../../http/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import type { Origin } from '../../kernel/metadata.js';
import { hashKeyString, mintKeyString } from '../../key-strings/key-string.js';
import { rateLimited, TOO_MANY_WRITERS } from '../../rate-limits/rate-limited.openapi.js';
import { WORKSPACE_REFUSAL } from '../key.openapi.js';
import { describedKey, type KeyRecord, presentKey } from '../key-record.js';
import { CreateKey, CreateKeyRequest } from './create-key.command.js';
import { KeyCreationLimitInterceptor } from './key-creation-limit.interceptor.js';
import { KeyQuota } from './key-quota.js';

const answer = recordAnswer(describedKey, 'The key was created.', { status: 201 });

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
  @DescribeOperation({
    tag: 'Keys',
    id: 'createKey',
    summary: 'Create an API key',
    description: 'Only this answer has the key string. It can never be read again.',
    request: {
      shape: CreateKeyRequest,
      examples: {
        'a name is enough': { name: 'analytics' },
        'all fields': {
          name: 'analytics',
          creator_user_id: 'user-ada',
          expires_at: '2027-01-01T00:00:00Z',
          external: { user: 'customer-42', lookup_key: '<LOOKUP_KEY>' },
          include_byok_in_limit: false,
          limit: 25,
          limit_reset: 'monthly',
          workspace_id: describedKey.example.workspace_id,
        },
      },
    },
    success: {
      ...answer,
      schema: {
        type: 'object',
        required: ['data', 'key'],
        properties: {
          ...answer.schema.properties,
          key: { type: 'string', description: 'The key string, shown only once.' },
        },
      },
      example: { data: describedKey.example, key: '<API_KEY>' },
    },
    headers: ['Cache-Control', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
    refusals: [
      fieldRefusal('request-invalid', 'limit', USD_RULE),
      WORKSPACE_REFUSAL,
      quotaRefusal('api-keys', 1_000_000),
      rateLimited('key-creation'),
      TOO_MANY_WRITERS,
      'change-too-large',
    ],
  })
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

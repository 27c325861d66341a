import { Body, Controller, Inject, Param, Patch, UseGuards, UseInterceptors } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Caller, CurrentCaller, RequestOrigin } from '../../http/caller.js';
import { recordAnswer } from '../../http/described-answers.js';
import { fieldRefusal, refusal } from '../../http/described-refusals.js';
import { JsonBodyInterceptor } from '../../http/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { notFound, Refusal } from '../../kernel/errors.js';
import type { Origin } from '../../kernel/metadata.js';
import { isKeyHash } from '../../key-strings/key-string.js';
import { WRITE_REFUSALS } from '../../rate-limits/rate-limited.openapi.js';
import { describedKey, type KeyRecord, presentKey } from '../key-record.js';
import { HASH_IN_PATH, WORKSPACE_REFUSAL } from '../key.openapi.js';
import { UpdateKey, UpdateKeyRequest } from './update-key.command.js';

const { shape, example } = describedKey;
const changed = { ...example, disabled: true, updated_at: '2026-01-06T10:00:00.000Z' };

@Controller('v1/keys')
@UseGuards(ManagementKeyGuard)
export class UpdateKeyController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Patch(':hash')
  @UseInterceptors(JsonBodyInterceptor)
  @DescribeOperation({
    tag: 'Keys',
    id: 'updateKey',
    summary: 'Update an API key',
    description:
      'Changes the given fields, all or none. A field that already has its value is no change.',
    path: HASH_IN_PATH,
    request: {
      shape: UpdateKeyRequest,
      examples: {
        disable: { disabled: true },
        'change the limit': { limit: 50, limit_reset: 'weekly' },
        'lift the limit': { limit: null, limit_reset: null },
        'move and rename': { workspace_id: example.workspace_id, name: 'analytics, Europe' },
      },
    },
    success: recordAnswer({ shape, example: changed }, 'The key as it is now.'),
    refusals: [
      ...WRITE_REFUSALS,
      fieldRefusal('request-invalid', 'disabled', 'must be a boolean value'),
      'no-update-fields',
      WORKSPACE_REFUSAL,
      refusal('restrictions-incompatible', { missing_restrictions: ['eu-only'] }),
      'not-found',
      'creator-not-a-member',
      'workspace-gone',
    ],
  })
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

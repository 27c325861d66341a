import {
  Body,
  Controller,
  Delete,
  Get,
  Inject,
  Param,
  Patch,
  Post,
  Put,
  Res,
} from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type express from 'express';
import { type Caller, CurrentCaller, RequestOrigin } from '../../edge/http/callers/caller.js';
import { requireHashToStore } from '../../edge/http/fields/hash-to-store.js';
import { ListQuery } from '../../edge/http/fields/list-query.js';
import { pagingOf } from '../../edge/http/fields/paging.js';
import { LenientBody } from '../../edge/http/fields/lenient-body.js';
import { ShapePipe } from '../../edge/http/fields/shape.pipe.js';
import { Refuses } from '../../edge/http/openapi/errors.js';
import * as answer from '../../edge/http/openapi/answer.js';
import { Operation } from '../../edge/http/openapi/operation.js';
import { CountsRefusals, RateLimit } from '../../edge/rate-limits/rate-limit.guard.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { notFound, Refusal } from '../../kernel/errors.js';
import { hashKeyString, isKeyHash, mintKeyString } from '../../kernel/key-string.js';
import type { Origin } from '../../kernel/metadata.js';
import type { Read } from '../../kernel/read.js';
import { parseUtcTimestamp } from '../../kernel/utc-timestamp.js';
import { EffectiveKeys } from './effective-keys.js';
import { type KeyRecord, presentKey } from './key-record.js';
import {
  ChangeExpiryRequest,
  CreateKeyRequest,
  keyFilterOf,
  HASH_IN_PATH,
  HASH_TO_STORE,
  KeyShape,
  ListKeysRequest,
  UpdateKeyRequest,
} from './key.fields.js';
import { KeysWithUse } from './keys-with-use.js';
import { CreateKey, DeleteKey, UpdateKey } from './keys.commands.js';
import { USAGE_OF_SUBJECTS, type UsageOfSubjects } from './published/usage-of-subjects.port.js';

const LISTED =
  'Without parameters, only the enabled keys of the default workspace are listed and counted; `workspace_id=all` adds keys of other workspaces, `include_disabled=true` disabled keys.';

/** API keys (docs/api.md 3 and 4). */
@ApiTags('Keys')
@Controller('v1/keys')
export class KeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly keys: EffectiveKeys,
    private readonly records: KeysWithUse,
    @Inject(USAGE_OF_SUBJECTS) private readonly uses: UsageOfSubjects,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The key string exists in this function and in the response, nowhere else. */
  @Post()
  @RateLimit('key-creation')
  @Operation(
    'createKey',
    'Create an API key; only this answer has its key string',
    answer.one(KeyShape, 201, { key: answer.KEY_STRING }),
  )
  @Refuses(['workspace-unknown', 'quota-exceeded'])
  async create(
    @LenientBody(CreateKeyRequest) body: CreateKeyRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: KeyRecord; key: string }> {
    const keyString = mintKeyString('sk-v1-');
    const command = new CreateKey(caller, hashKeyString(keyString), body, origin, true);
    const { key } = await this.commands.execute(command);
    return { data: { ...presentKey(key), external_user: null }, key: keyString };
  }

  @Put(':hash')
  @RateLimit('key-creation')
  @CountsRefusals(true)
  @ApiParam(HASH_TO_STORE)
  @Operation('putKey', 'Create an API key whose key string the caller made, once', {
    ...answer.one(KeyShape, 201),
    repeated: 200,
  })
  @Refuses(['hash-used', 'string-ended', 'key-differs', 'workspace-unknown', 'quota-exceeded'])
  async put(
    @Param('hash') hash: string,
    @LenientBody(CreateKeyRequest) body: CreateKeyRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
    @Res({ passthrough: true }) response: express.Response,
  ): Promise<Read<{ data: KeyRecord }>> {
    requireHashToStore(hash, 'hash', caller);
    const command = new CreateKey(caller, hash, body, origin, false);
    const { key, isNew } = await this.commands.execute(command);
    response.status(isNew ? 201 : 200);
    if (isNew) return { found: { data: presentKey(key) }, isLate: false };
    return this.records.present(caller, { found: key, isLate: false });
  }

  @Get()
  @Operation('listKeys', 'List API keys, newest first', answer.page(KeyShape, LISTED))
  @Refuses(['workspace-unknown'], LISTED)
  async list(
    @ListQuery(ListKeysRequest) query: ListKeysRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<Read<{ data: KeyRecord[]; total_count: number }>> {
    const { found, isLate } = await this.keys.page(caller, {
      includeDisabled: query.include_disabled === 'true',
      workspaceId: query.workspace_id,
      filter: keyFilterOf(query),
      ...pagingOf(query),
    });
    const { documents: keys, total } = found;
    const hashes = keys.map(({ hash }) => hash);
    const uses = await this.uses.totalsOf(caller.accountId, hashes, this.clock.now());
    const data = keys.map((key) => presentKey(key, uses.found.get(key.hash)));
    return { found: { data, total_count: total }, isLate: isLate || uses.isLate };
  }

  @Get(':hash')
  @ApiParam(HASH_IN_PATH)
  @Operation('readKey', 'Read an API key', answer.one(KeyShape))
  async read(
    @Param('hash') hash: string,
    @CurrentCaller() caller: Caller,
  ): Promise<Read<{ data: KeyRecord }>> {
    if (!isKeyHash(hash)) throw notFound();
    return this.records.present(caller, await this.keys.find(caller, hash));
  }

  @Patch(':hash')
  @ApiParam(HASH_IN_PATH)
  @Operation('updateKey', 'Change the given fields of an API key', answer.one(KeyShape))
  @Refuses([
    'no-update-fields',
    'workspace-unknown',
    'restrictions-incompatible',
    'creator-not-a-member',
    'workspace-gone',
    'stored-usage-unknown',
  ])
  async update(
    @Param('hash') hash: string,
    @LenientBody(UpdateKeyRequest) body: UpdateKeyRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<Read<{ data: KeyRecord }>> {
    if (Object.keys(body).length === 0) throw new Refusal('no-update-fields');
    if (!isKeyHash(hash)) throw notFound();
    const key = await this.commands.execute(new UpdateKey(caller, hash, body, origin));
    return this.records.afterChange(caller, key);
  }

  @Put(':hash/expiry')
  @CountsRefusals(true)
  @ApiParam(HASH_IN_PATH)
  @Operation('changeKeyExpiry', 'Change when an API key expires', answer.one(KeyShape))
  @Refuses(['stored-usage-unknown'])
  async changeExpiry(
    @Param('hash') hash: string,
    @Body(new ShapePipe(ChangeExpiryRequest, 'refused')) { expires_at }: ChangeExpiryRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<Read<{ data: KeyRecord }>> {
    if (!isKeyHash(hash)) throw notFound();
    const changes = { expires_at: expires_at === null ? null : parseUtcTimestamp(expires_at) };
    const command = new UpdateKey(caller, hash, changes, origin);
    return this.records.afterChange(caller, await this.commands.execute(command));
  }

  @Delete(':hash')
  @ApiParam(HASH_IN_PATH)
  @Operation('deleteKey', 'Delete an API key permanently', answer.DELETED)
  async delete(
    @Param('hash') hash: string,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ deleted: true }> {
    if (!isKeyHash(hash)) throw notFound();
    await this.commands.execute(new DeleteKey(accountId, hash, origin));
    return { deleted: true };
  }
}

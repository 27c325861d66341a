import { Body, Controller, Delete, Get, Param, Post, Put, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type express from 'express';
import { type Caller, CurrentCaller, RequestOrigin } from '../../edge/http/callers/caller.js';
import { requireHashToStore } from '../../edge/http/fields/hash-to-store.js';
import { ListQuery } from '../../edge/http/fields/list-query.js';
import { pagingOf } from '../../edge/http/fields/paging.js';
import { ShapePipe } from '../../edge/http/fields/shape.pipe.js';
import * as answer from '../../edge/http/openapi/answer.js';
import { Refuses } from '../../edge/http/openapi/errors.js';
import { Operation } from '../../edge/http/openapi/operation.js';
import { CountsRefusals, RateLimit } from '../../edge/rate-limits/rate-limit.guard.js';
import { notFound } from '../../kernel/errors.js';
import { hashKeyString, isKeyHash, mintKeyString } from '../../kernel/key-string.js';
import type { Origin } from '../../kernel/metadata.js';
import type { Read } from '../../kernel/read.js';
import { AccountDirectory } from './account-directory/account-directory.js';
import type { ManagementKeyRecord } from './domain/management-key.js';
import {
  CreateManagementKeyRequest,
  ListManagementKeysRequest,
  managementKeyOf,
  ManagementKeyShape,
  presentManagementKey,
} from './management-key.fields.js';
import {
  CreateManagementKey,
  type ManagementKeyCreation,
  RevokeManagementKey,
} from './management-keys.commands.js';

const HASH_IN_PATH = { name: 'hash', description: 'Hash of the management key.' };
const LISTED = 'By default the list does not contain revoked keys.';

/** Management keys (docs/api.md 2.11). */
@ApiTags('Management keys')
@Controller('v1/management-keys')
export class ManagementKeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: AccountDirectory,
  ) {}

  /** The key string exists in this function and in the response, nowhere else. */
  @Post()
  @RateLimit('key-creation')
  @CountsRefusals(true)
  @Operation(
    'createManagementKey',
    'Create a management key; only this answer has its key string',
    answer.one(ManagementKeyShape, 201, { key: answer.KEY_STRING }),
  )
  @Refuses(['member-unknown', 'beyond-own-key', 'quota-exceeded'])
  async create(
    @Body(new ShapePipe(CreateManagementKeyRequest, 'refused')) body: CreateManagementKeyRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: ManagementKeyRecord; key: string }> {
    const keyString = mintKeyString('mk-v1-');
    const { key } = await this.#create(hashKeyString(keyString), body, caller, origin);
    return { data: key, key: keyString };
  }

  @Put(':hash')
  @RateLimit('key-creation')
  @CountsRefusals(true)
  @ApiParam(HASH_IN_PATH)
  @Operation('putManagementKey', 'Create a management key whose string the caller made, once', {
    ...answer.one(ManagementKeyShape, 201),
    repeated: 200,
  })
  @Refuses(['hash-used', 'key-differs', 'member-unknown', 'beyond-own-key', 'quota-exceeded'])
  async put(
    @Param('hash') hash: string,
    @Body(new ShapePipe(CreateManagementKeyRequest, 'refused')) body: CreateManagementKeyRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
    @Res({ passthrough: true }) response: express.Response,
  ): Promise<{ data: ManagementKeyRecord }> {
    requireHashToStore(hash, 'hash', caller);
    const { key, isNew } = await this.#create(hash, body, caller, origin);
    response.status(isNew ? 201 : 200);
    return { data: key };
  }

  @Get()
  @Operation(
    'listManagementKeys',
    'List management keys, oldest first',
    answer.page(ManagementKeyShape, LISTED),
  )
  async list(
    @ListQuery(ListManagementKeysRequest) query: ListManagementKeysRequest,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<Read<{ data: ManagementKeyRecord[]; total_count: number }>> {
    const includeRevoked = query.include_revoked === 'true';
    const wanted = { includeRevoked, ...pagingOf(query) };
    const { found, isLate } = await this.directory.managementKeys(accountId, wanted);
    const data = found.documents.map(presentManagementKey);
    return { found: { data, total_count: found.total }, isLate };
  }

  @Get(':hash')
  @ApiParam(HASH_IN_PATH)
  @Operation(
    'readManagementKey',
    'Read a management key, revoked or not',
    answer.one(ManagementKeyShape),
  )
  async read(
    @Param('hash') hash: string,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<Read<{ data: ManagementKeyRecord }>> {
    if (!isKeyHash(hash)) throw notFound();
    const { found, isLate } = await this.directory.managementKeyOf(accountId, hash);
    return { found: { data: presentManagementKey(found) }, isLate };
  }

  @Delete(':hash')
  @CountsRefusals(true)
  @ApiParam(HASH_IN_PATH)
  @Operation('revokeManagementKey', 'Revoke a management key permanently', answer.DELETED)
  @Refuses(['last-admin-key'])
  async revoke(
    @Param('hash') hash: string,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ deleted: true }> {
    if (!isKeyHash(hash)) throw notFound();
    await this.commands.execute(new RevokeManagementKey(accountId, hash, origin));
    return { deleted: true };
  }

  #create(
    hash: string,
    body: CreateManagementKeyRequest,
    { accountId, userId, expiresAt }: Caller,
    origin: Origin,
  ): Promise<ManagementKeyCreation> {
    const wanted = managementKeyOf(body, hash, userId);
    const maker = { expiresAt, namesUser: body.user_id != null };
    return this.commands.execute(new CreateManagementKey(accountId, wanted, origin, maker));
  }
}

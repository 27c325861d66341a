import { Body, Controller, Delete, Get, Inject, Param, Post, Put, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiParam, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type express from 'express';
import { type Caller, CurrentCaller, RequestOrigin } from '../../edge/http/callers/caller.js';
import { requireHashToStore } from '../../edge/http/fields/hash-to-store.js';
import { ShapePipe } from '../../edge/http/fields/shape.pipe.js';
import * as answer from '../../edge/http/openapi/answer.js';
import { Refuses } from '../../edge/http/openapi/errors.js';
import { Operation } from '../../edge/http/openapi/operation.js';
import { BodyOf } from '../../edge/http/requests/json-body.guard.js';
import { CountsRefusals, RateLimit } from '../../edge/rate-limits/rate-limit.guard.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { notFound } from '../../kernel/errors.js';
import { hashKeyString, isKeyHash, mintKeyString } from '../../kernel/key-string.js';
import type { Origin } from '../../kernel/metadata.js';
import type { Read } from '../../kernel/read.js';
import { liveStrings } from './domain/key-strings.js';
import { EffectiveKeys } from './effective-keys.js';
import type { KeyRecord } from './key-record.js';
import {
  DEFAULT_GRACE_SECONDS,
  KeyStringShape,
  presentString,
  PutStringRequest,
  RotateKeyRequest,
  STRING_IN_PATH,
} from './key-string.fields.js';
import { EndKeyString, RotateKey, type Rotation } from './key-strings.commands.js';
import { HASH_IN_PATH, KeyShape } from './key.fields.js';
import { KeysWithUse } from './keys-with-use.js';

const STRING = { $ref: getSchemaPath(KeyStringShape) };
const MODELS = [KeyShape, KeyStringShape];

interface Rotated {
  readonly data: KeyRecord;
  readonly string: KeyStringShape;
}

/** The strings of API keys (docs/api.md 3.11). */
@ApiTags('Keys')
@Controller('v1/keys/:hash')
export class KeyStringsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly keys: EffectiveKeys,
    private readonly records: KeysWithUse,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The key string exists in this function and in the response, nowhere else. */
  @Post('rotate')
  @RateLimit('key-creation')
  @CountsRefusals(true)
  @BodyOf({ mayBeAbsent: true })
  @ApiBody({ type: RotateKeyRequest, required: false })
  @ApiParam(HASH_IN_PATH)
  @Operation('rotateKey', 'Give an API key a new string, and the others an end', {
    ...answer.one(KeyShape, 201, { key: answer.KEY_STRING, string: STRING }),
    models: MODELS,
  })
  @Refuses(['too-many-strings', 'stored-usage-unknown'])
  async rotate(
    @Param('hash') hash: string,
    @Body(new ShapePipe(RotateKeyRequest, 'refused')) body: RotateKeyRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<Read<Rotated & { key: string }>> {
    if (!isKeyHash(hash)) throw notFound();
    const keyString = mintKeyString('sk-v1-');
    const string = {
      string_hash: hashKeyString(keyString),
      grace_seconds: body.grace_seconds ?? DEFAULT_GRACE_SECONDS,
    };
    const command = new RotateKey(caller, hash, string, origin);
    const { found, isLate } = await this.#answer(caller, await this.commands.execute(command));
    return { found: { ...found, key: keyString }, isLate };
  }

  @Get('strings')
  @ApiParam(HASH_IN_PATH)
  @Operation('listKeyStrings', 'List the live strings of an API key, oldest first', {
    ...answer.list(KeyStringShape, {}),
  })
  async list(
    @Param('hash') hash: string,
    @CurrentCaller() caller: Caller,
  ): Promise<Read<{ data: KeyStringShape[] }>> {
    if (!isKeyHash(hash)) throw notFound();
    const { found: key, isLate } = await this.keys.find(caller, hash);
    const live = liveStrings(key, this.clock.now());
    return { found: { data: live.map(presentString) }, isLate };
  }

  @Put('strings/:string_hash')
  @RateLimit('key-creation')
  @CountsRefusals(true)
  @ApiParam(HASH_IN_PATH)
  @ApiParam(STRING_IN_PATH)
  @Operation('putKeyString', 'Give an API key a string that the caller made, once', {
    ...answer.one(KeyShape, 201, { string: STRING }),
    repeated: 200,
    models: MODELS,
  })
  @Refuses([
    'hash-used',
    'string-ended',
    'grace-differs',
    'too-many-strings',
    'stored-usage-unknown',
  ])
  async put(
    @Param('hash') hash: string,
    @Param('string_hash') string_hash: string,
    @Body(new ShapePipe(PutStringRequest, 'refused')) { grace_seconds }: PutStringRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
    @Res({ passthrough: true }) response: express.Response,
  ): Promise<Read<Rotated>> {
    requireHashToStore(string_hash, 'string_hash', caller);
    if (!isKeyHash(hash)) throw notFound();
    const string = { string_hash, grace_seconds };
    const rotation = await this.commands.execute(new RotateKey(caller, hash, string, origin));
    const rotated = await this.#answer(caller, rotation);
    response.status(rotation.isNew ? 201 : 200);
    return rotated;
  }

  @Delete('strings/:string_hash')
  @CountsRefusals(true)
  @ApiParam(HASH_IN_PATH)
  @ApiParam(STRING_IN_PATH)
  @Operation('endKeyString', 'End a string of an API key at once', answer.DELETED)
  @Refuses(['last-string'])
  async end(
    @Param('hash') hash: string,
    @Param('string_hash') stringHash: string,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ deleted: true }> {
    if (!isKeyHash(hash) || !isKeyHash(stringHash)) throw notFound();
    await this.commands.execute(new EndKeyString(accountId, hash, stringHash, origin));
    return { deleted: true };
  }

  async #answer(caller: Caller, { key, string }: Rotation): Promise<Read<Rotated>> {
    const { found, isLate } = await this.records.afterChange(caller, key);
    return { found: { ...found, string: presentString(string) }, isLate };
  }
}

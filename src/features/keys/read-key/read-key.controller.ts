import { Controller, Get, Inject, Param, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../../edge/http/callers/caller.js';
import { ManagementKeyGuard } from '../../../edge/http/callers/management-key.guard.js';
import { one, Operation } from '../../../edge/http/openapi/operation.js';
import { markStale } from '../../../edge/http/answers/stale.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { notFound } from '../../../kernel/errors.js';
import { isKeyHash } from '../../../kernel/key-string.js';
import { KeyShape, type KeyRecord, presentKey } from '../key-record.js';
import { HASH_IN_PATH } from '../key.fields.js';
import { ReadKey } from './read-key.query.js';

@ApiTags('Keys')
@Controller('v1/keys')
@UseGuards(ManagementKeyGuard)
export class ReadKeyController {
  constructor(
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get(':hash')
  @ApiParam(HASH_IN_PATH)
  @Operation('readKey', 'Read an API key', one(KeyShape))
  async read(
    @Param('hash') hash: string,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: KeyRecord }> {
    if (!isKeyHash(hash)) throw notFound();
    const { found, isLate } = await this.queries.execute(new ReadKey(caller, hash));
    markStale(response, isLate);
    return { data: presentKey(found, this.clock.now()) };
  }
}

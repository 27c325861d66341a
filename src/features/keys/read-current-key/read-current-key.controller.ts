import { Controller, Get, Inject, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AnyKeyGuard } from '../../../edge/http/callers/any-key.guard.js';
import { one, Operation } from '../../../edge/http/openapi/operation.js';
import { type Caller, CurrentCaller } from '../../../edge/http/callers/caller.js';
import { markStale } from '../../../edge/http/answers/stale.js';
import { CurrentKeyShape, type CurrentKeyRecord } from '../current-key-record.js';
import { ReadCurrentKey } from './read-current-key.query.js';

@ApiTags('Keys')
@Controller('v1/key')
@UseGuards(AnyKeyGuard)
export class ReadCurrentKeyController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get()
  @Operation(
    'readCurrentKey',
    'Read the key that asks: an API key or a management key',
    one(CurrentKeyShape),
  )
  async read(
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: CurrentKeyRecord }> {
    const { found, isLate } = await this.queries.execute(new ReadCurrentKey(caller));
    markStale(response, isLate);
    return { data: found };
  }
}

import { Controller, Get, Inject, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Response } from 'express';
import { AnyKeyGuard } from '../../http/any-key.guard.js';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import { recordAnswer } from '../../http/described-answers.js';
import { markStale } from '../../http/stale.js';
import { DescribeOperation } from '../../http/openapi.js';
import { describedCurrentKey, type CurrentKeyRecord } from '../current-key-record.js';
import { ReadCurrentKey } from './read-current-key.query.js';

@Controller('v1/key')
@UseGuards(AnyKeyGuard)
export class ReadCurrentKeyController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get()
  @DescribeOperation({
    tag: 'Keys',
    id: 'readCurrentKey',
    summary: 'Read the key that asks',
    description: 'Returns the key of the request itself, an API key or a management key.',
    keys: 'any',
    success: recordAnswer(describedCurrentKey, 'The key.', { headers: ['Keyledger-Stale'] }),
    refusals: [],
  })
  async read(
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: CurrentKeyRecord }> {
    const { found, isLate } = await this.queries.execute(new ReadCurrentKey(caller));
    markStale(response, isLate);
    return { data: found };
  }
}

import { Controller, Get, Inject, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Response } from 'express';
import { AnyKeyGuard } from '../../http/any-key.guard.js';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import { recordAnswer } from '../../http/described-answers.js';
import { setLogPosition } from '../../http/log-position.js';
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
    success: recordAnswer(
      describedCurrentKey,
      'The key. For a management key the answer has no `X-Log-Position`.',
      { headers: ['X-Log-Position'] },
    ),
    refusals: [],
  })
  async read(
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: CurrentKeyRecord }> {
    const { record, position } = await this.queries.execute(new ReadCurrentKey(caller));
    if (position !== undefined) setLogPosition(response, position);
    return { data: record };
  }
}

import { Controller, Get, Inject, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Response } from 'express';
import { AnyKeyGuard } from '../../http/any-key.guard.js';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import { LOG_POSITION_HEADER } from '../../http/log-position.js';
import type { CurrentKeyRecord } from '../domain/current-key-record.js';
import { DescribeReadCurrentKey } from './read-current-key.openapi.js';
import { ReadCurrentKey } from './read-current-key.query.js';

@Controller('v1/key')
@UseGuards(AnyKeyGuard)
export class ReadCurrentKeyController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get()
  @DescribeReadCurrentKey()
  async read(
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: CurrentKeyRecord }> {
    const { record, position } = await this.queries.execute(new ReadCurrentKey(caller));
    if (position !== undefined) response.setHeader(LOG_POSITION_HEADER, position);
    return { data: record };
  }
}

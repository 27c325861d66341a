import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { AnyKeyGuard } from '../../http/any-key.guard.js';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import type { CurrentKeyRecord } from '../domain/current-key-record.js';
import { DescribeReadCurrentKey } from './read-current-key.openapi.js';
import { ReadCurrentKey } from './read-current-key.query.js';

@Controller('v1/key')
@UseGuards(AnyKeyGuard)
export class ReadCurrentKeyController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get()
  @DescribeReadCurrentKey()
  async read(@CurrentCaller() caller: Caller): Promise<{ data: CurrentKeyRecord }> {
    return { data: await this.queries.execute(new ReadCurrentKey(caller)) };
  }
}

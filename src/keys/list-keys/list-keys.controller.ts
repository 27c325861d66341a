import { Controller, Get, Inject, Query, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import { LOG_POSITION_HEADER } from '../../http/log-position.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { pagingOf } from '../../http/paging.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { type KeyRecord, presentListedKey } from '../domain/key-record.js';
import { DescribeListKeys } from './list-keys.openapi.js';
import { ListKeys } from './list-keys.query.js';
import { DEFAULT_LIMIT, ListKeysRequest } from './list-keys.request.js';

@Controller('v1/keys')
@UseGuards(ManagementKeyGuard)
export class ListKeysController {
  constructor(
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @DescribeListKeys()
  async list(
    @Query(new ShapePipe(ListKeysRequest)) query: ListKeysRequest,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: KeyRecord[]; total_count: number }> {
    const { keys, total, position } = await this.queries.execute(
      new ListKeys(caller, {
        includeDisabled: query.include_disabled === 'true',
        workspaceId: query.workspace_id,
        ...pagingOf(query, DEFAULT_LIMIT),
      }),
    );
    response.setHeader(LOG_POSITION_HEADER, position);
    const now = this.clock.now();
    return { data: keys.map((key) => presentListedKey(key, now)), total_count: total };
  }
}

import {
  Controller,
  Get,
  Header,
  Inject,
  Query,
  Req,
  Res,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Request, Response } from 'express';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import { LOG_POSITION_HEADER } from '../../http/log-position.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { prefersNdjson, requireChunks, sendNdjson } from '../../http/ndjson.js';
import { pagingOf } from '../../http/paging.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import { StreamLimitInterceptor } from '../../rate-limits/stream-limit.interceptor.js';
import { DescribeListAuditEvents } from './list-audit-events.openapi.js';
import { ListAuditEvents } from './list-audit-events.query.js';
import { DEFAULT_LIMIT, filterOf, ListAuditEventsRequest } from './list-audit-events.request.js';
import { StreamAuditEvents } from './stream-audit-events.query.js';

@Controller('v1/audit-events')
@UseGuards(ManagementKeyGuard)
export class ListAuditEventsController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get()
  @Header('Vary', 'Accept')
  @UseInterceptors(StreamLimitInterceptor)
  @DescribeListAuditEvents()
  async list(
    @Query(new ShapePipe(ListAuditEventsRequest)) query: ListAuditEventsRequest,
    @CurrentCaller() { accountId }: Caller,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const filter = filterOf(query);
    if (prefersNdjson(request)) {
      requireChunks(request);
      const all = await this.queries.execute(new StreamAuditEvents(accountId, filter));
      response.setHeader(LOG_POSITION_HEADER, all.position);
      await sendNdjson(request, response, all.chunks);
      return;
    }
    const { limit } = pagingOf(query, DEFAULT_LIMIT);
    const { events, nextCursor, position } = await this.queries.execute(
      new ListAuditEvents(accountId, { filter, limit, cursor: query.cursor }),
    );
    response.setHeader(LOG_POSITION_HEADER, position);
    response.json({ data: events, next_cursor: nextCursor });
  }
}

import {
  Controller,
  Get,
  Header,
  Inject,
  Req,
  Res,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { type Caller, CurrentCaller } from '../../../edge/http/callers/caller.js';
import { ListQuery } from '../../../edge/http/fields/list-query.js';
import { markStale } from '../../../edge/http/answers/stale.js';
import { ManagementKeyGuard } from '../../../edge/http/callers/management-key.guard.js';
import { Operation, page } from '../../../edge/http/openapi/operation.js';
import {
  NDJSON,
  prefersNdjson,
  requireChunks,
  sendNdjson,
} from '../../../edge/http/answers/ndjson.js';
import { pagingOf } from '../../../edge/http/fields/paging.js';
import { StreamLimitInterceptor } from '../../../edge/rate-limits/stream-limit.interceptor.js';
import { AuditEventRecord } from '../audit-event.record.js';
import { ListAuditEvents, StreamAuditEvents } from './list-audit-events.query.js';
import { DEFAULT_LIMIT, filterOf, ListAuditEventsRequest } from './list-audit-events.request.js';

const NEXT_CURSOR = {
  type: 'string',
  nullable: true,
  description: 'Cursor of the next page; null after the last one.',
};
const PAGE = page(AuditEventRecord, { next_cursor: NEXT_CURSOR });

@ApiTags('Audit trail')
@Controller('v1/audit-events')
@UseGuards(ManagementKeyGuard)
export class ListAuditEventsController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get()
  @Header('Vary', 'Accept')
  @UseInterceptors(StreamLimitInterceptor)
  @Operation('listAuditEvents', 'List what was done in the account, newest first', {
    ...PAGE,
    content: { ...PAGE.content, [NDJSON]: { schema: { type: 'string' } } },
  })
  async list(
    @ListQuery(ListAuditEventsRequest) query: ListAuditEventsRequest,
    @CurrentCaller() { accountId }: Caller,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const filter = filterOf(query);
    if (prefersNdjson(request)) {
      requireChunks(request);
      const all = await this.queries.execute(new StreamAuditEvents(accountId, filter));
      markStale(response, all.isLate);
      await sendNdjson(request, response, all.chunks);
      return;
    }
    const { limit } = pagingOf(query, DEFAULT_LIMIT);
    const { events, nextCursor, isLate } = await this.queries.execute(
      new ListAuditEvents(accountId, { filter, limit, cursor: query.cursor }),
    );
    markStale(response, isLate);
    response.json({ data: events, next_cursor: nextCursor });
  }
}

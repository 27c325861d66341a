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
import { getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import { INCLUDES_EARLIER_WRITES, LIMIT_REFUSAL } from '../../http/described-answers.js';
import { withHeaders } from '../../http/described-refusals.js';
import { ListQuery } from '../../http/list-query.js';
import { markStale } from '../../http/stale.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { NDJSON, prefersNdjson, requireChunks, sendNdjson } from '../../http/ndjson.js';
import { DescribeOperation } from '../../http/openapi.js';
import { pagingOf } from '../../http/paging.js';
import { StreamLimitInterceptor } from '../../rate-limits/stream-limit.interceptor.js';
import { describedAuditEvent } from '../audit-event.record.js';
import { ListAuditEvents, StreamAuditEvents } from './list-audit-events.query.js';
import { DEFAULT_LIMIT, filterOf, ListAuditEventsRequest } from './list-audit-events.request.js';

const { shape, example } = describedAuditEvent;

@Controller('v1/audit-events')
@UseGuards(ManagementKeyGuard)
export class ListAuditEventsController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get()
  @Header('Vary', 'Accept')
  @UseInterceptors(StreamLimitInterceptor)
  @DescribeOperation({
    tag: 'Audit trail',
    id: 'listAuditEvents',
    summary: 'List what was done in the account',
    description: `The list is newest first. ${INCLUDES_EARLIER_WRITES} NDJSON has all matching events, one \`AuditEvent\` in each line, and ignores limit and cursor.`,
    success: {
      status: 200,
      description:
        'A page, and the cursor of the next page; null on the last page. A page may have fewer events than the limit although more follow.',
      models: [shape],
      schema: {
        type: 'object',
        required: ['data', 'next_cursor'],
        properties: {
          data: { type: 'array', items: { $ref: getSchemaPath(shape) }, description: 'The page.' },
          next_cursor: {
            type: 'string',
            nullable: true,
            description: 'Cursor of the next page; null after the last one.',
          },
        },
      },
      example: { data: [example], next_cursor: null },
      also: {
        type: NDJSON,
        schema: { type: 'string' },
        example: `${JSON.stringify(example)}\n`,
      },
      headers: ['Keyledger-Stale'],
    },
    headers: ['Vary'],
    refusals: [
      LIMIT_REFUSAL,
      withHeaders('too-many-streams', 'Retry-After'),
      'http-version-unsupported',
    ],
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

import { Controller, Get, Header, Param, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { prefersNdjson, sendNdjson } from '../../edge/http/answers/ndjson.js';
import { markStale } from '../../edge/http/answers/stale.js';
import { type Caller, CurrentCaller } from '../../edge/http/callers/caller.js';
import { ListQuery } from '../../edge/http/fields/list-query.js';
import { one, Operation, pageOrStream } from '../../edge/http/openapi/operation.js';
import { StreamLimitInterceptor } from '../../edge/rate-limits/stream-limit.interceptor.js';
import { notFound } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/uuid.js';
import { AuditDirectory } from './audit-directory/audit-directory.js';
import { AuditEventRecord, filterOf, ListAuditEventsRequest } from './audit-event.fields.js';
import type { AuditEvent } from './domain/audit-event.js';

/** The audit trail (docs/api.md 11). */
@ApiTags('Audit trail')
@Controller('v1/audit-events')
export class AuditController {
  constructor(private readonly directory: AuditDirectory) {}

  @Get()
  @Header('Vary', 'Accept')
  @UseInterceptors(StreamLimitInterceptor)
  @Operation(
    'listAuditEvents',
    'List what was done in the account, newest first',
    pageOrStream(AuditEventRecord),
  )
  async list(
    @ListQuery(ListAuditEventsRequest) query: ListAuditEventsRequest,
    @CurrentCaller() { accountId }: Caller,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const filter = filterOf(query);
    if (prefersNdjson(request)) {
      const all = await this.directory.stream(accountId, filter);
      return sendNdjson(request, response, all);
    }
    const wanted = { filter, limit: Number(query.limit), cursor: query.cursor };
    const { events, nextCursor, isLate } = await this.directory.page(accountId, wanted);
    markStale(response, isLate);
    response.json({ data: events, next_cursor: nextCursor });
  }

  @Get(':id')
  @ApiParam({ name: 'id', description: 'Id of the event.' })
  @Operation('readAuditEvent', 'Read one event of the account', one(AuditEventRecord))
  async read(
    @Param('id') id: string,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: AuditEvent }> {
    if (!isUuid(id)) throw notFound();
    const { found, isLate } = await this.directory.event(accountId, id);
    markStale(response, isLate);
    return { data: found };
  }
}

import { Controller, Get, Header, Param, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type express from 'express';
import { sendPageOrStream } from '../../edge/http/answers/page-or-stream.js';
import { sealCursor, unsealCursor } from '../../edge/http/answers/sealed-cursor.js';
import { type Caller, CurrentCaller } from '../../edge/http/callers/caller.js';
import { ListQuery } from '../../edge/http/fields/list-query.js';
import { Refuses } from '../../edge/http/openapi/errors.js';
import * as answer from '../../edge/http/openapi/answer.js';
import { Operation } from '../../edge/http/openapi/operation.js';
import { StreamLimitInterceptor } from '../../edge/rate-limits/stream-limit.interceptor.js';
import { notFound } from '../../kernel/errors.js';
import type { Read } from '../../kernel/read.js';
import { isUuid } from '../../kernel/uuid.js';
import { AuditDirectory } from './audit-directory/audit-directory.js';
import { AuditEventRecord, eventFilterOf, ListAuditEventsRequest } from './audit-event.fields.js';
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
    answer.list(AuditEventRecord, { next_cursor: answer.NEXT_CURSOR }),
  )
  @Refuses(['too-many-streams', 'http-version-unsupported'], answer.STREAMED)
  async list(
    @ListQuery(ListAuditEventsRequest) query: ListAuditEventsRequest,
    @CurrentCaller() caller: Caller,
    @Req() request: express.Request,
    @Res() response: express.Response,
  ): Promise<void> {
    const filter = eventFilterOf(query);
    const scope = { list: 'audit-events', caller, filter } as const;
    const list = this.directory.list(caller.accountId, filter);
    await sendPageOrStream(request, response, {
      page: async () => {
        const after = query.cursor === undefined ? undefined : unsealCursor(query.cursor, scope);
        return list.page(Number(query.limit), after);
      },
      stream: () => list.stream(),
      cursorAt: (place) => sealCursor(place, scope),
    });
  }

  @Get(':id')
  @ApiParam({ name: 'id', format: 'uuid', description: 'Id of the event.' })
  @Operation('readAuditEvent', 'Read one event of the account', answer.one(AuditEventRecord))
  async read(
    @Param('id') id: string,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<Read<{ data: AuditEvent }>> {
    if (!isUuid(id)) throw notFound();
    const { found, isLate } = await this.directory.event(accountId, id);
    return { found: { data: found }, isLate };
  }
}

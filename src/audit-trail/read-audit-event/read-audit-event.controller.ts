import { Controller, Get, Inject, Param, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import { LOG_POSITION_HEADER } from '../../http/log-position.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { notFound } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/uuid.js';
import type { AuditEvent } from '../domain/audit-event.js';
import { DescribeReadAuditEvent } from './read-audit-event.openapi.js';
import { ReadAuditEvent } from './read-audit-event.query.js';

@Controller('v1/audit-events')
@UseGuards(ManagementKeyGuard)
export class ReadAuditEventController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get(':id')
  @DescribeReadAuditEvent()
  async read(
    @Param('id') id: string,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: AuditEvent }> {
    if (!isUuid(id)) throw notFound();
    const { event, position } = await this.queries.execute(new ReadAuditEvent(accountId, id));
    response.setHeader(LOG_POSITION_HEADER, position);
    return { data: event };
  }
}

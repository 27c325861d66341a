import { Controller, Get, Inject, Param, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import { INCLUDES_EARLIER_WRITES, recordAnswer } from '../../http/described-answers.js';
import { undecodable, withHeaders } from '../../http/described-refusals.js';
import { markStale } from '../../http/stale.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';
import { notFound } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/uuid.js';
import { describedAuditEvent } from '../audit-event.record.js';
import type { AuditEvent } from '../domain/audit-event.js';
import { ReadAuditEvent } from './read-audit-event.query.js';

@Controller('v1/audit-events')
@UseGuards(ManagementKeyGuard)
export class ReadAuditEventController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get(':id')
  @DescribeOperation({
    tag: 'Audit trail',
    id: 'readAuditEvent',
    summary: 'Read one event of the account',
    description: INCLUDES_EARLIER_WRITES,
    path: { id: 'Id of the event.' },
    success: recordAnswer(describedAuditEvent, 'The event.', { headers: ['Keyledger-Stale'] }),
    refusals: [undecodable('id'), withHeaders('not-found', 'Keyledger-Stale')],
  })
  async read(
    @Param('id') id: string,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: AuditEvent }> {
    if (!isUuid(id)) throw notFound();
    const { found, isLate } = await this.queries.execute(new ReadAuditEvent(accountId, id));
    markStale(response, isLate);
    return { data: found };
  }
}

import { Controller, Get, Inject, Param, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../../edge/http/callers/caller.js';
import { ManagementKeyGuard } from '../../../edge/http/callers/management-key.guard.js';
import { one, Operation } from '../../../edge/http/openapi/operation.js';
import { markStale } from '../../../edge/http/answers/stale.js';
import { notFound } from '../../../kernel/errors.js';
import { isUuid } from '../../../kernel/uuid.js';
import { AuditEventRecord } from '../audit-event.record.js';
import type { AuditEvent } from '../domain/audit-event.js';
import { ReadAuditEvent } from './read-audit-event.query.js';

@ApiTags('Audit trail')
@Controller('v1/audit-events')
@UseGuards(ManagementKeyGuard)
export class ReadAuditEventController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get(':id')
  @ApiParam({ name: 'id', description: 'Id of the event.' })
  @Operation('readAuditEvent', 'Read one event of the account', one(AuditEventRecord))
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

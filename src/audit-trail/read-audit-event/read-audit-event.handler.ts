import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import type { Position } from '../../kernel/position.js';
import { AuditDirectory } from '../audit-directory/audit-directory.js';
import type { AuditEvent } from '../domain/audit-event.js';
import { ReadAuditEvent } from './read-audit-event.query.js';

@QueryHandler(ReadAuditEvent)
export class ReadAuditEventHandler implements IQueryHandler<ReadAuditEvent> {
  constructor(@Inject(AuditDirectory) private readonly directory: AuditDirectory) {}

  execute({ accountId, id }: ReadAuditEvent): Promise<{ event: AuditEvent; position: Position }> {
    return this.directory.event(accountId, id);
  }
}

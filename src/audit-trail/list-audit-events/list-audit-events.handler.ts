import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { AuditDirectory, type AuditPage } from '../audit-directory/audit-directory.js';
import { ListAuditEvents } from './list-audit-events.query.js';

@QueryHandler(ListAuditEvents)
export class ListAuditEventsHandler implements IQueryHandler<ListAuditEvents> {
  constructor(@Inject(AuditDirectory) private readonly directory: AuditDirectory) {}

  execute({ accountId, page }: ListAuditEvents): Promise<AuditPage> {
    return this.directory.page(accountId, page);
  }
}

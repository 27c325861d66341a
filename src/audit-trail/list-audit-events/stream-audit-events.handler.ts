import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { AuditDirectory, type AuditStream } from '../audit-directory/audit-directory.js';
import { StreamAuditEvents } from './stream-audit-events.query.js';

@QueryHandler(StreamAuditEvents)
export class StreamAuditEventsHandler implements IQueryHandler<StreamAuditEvents> {
  constructor(@Inject(AuditDirectory) private readonly directory: AuditDirectory) {}

  execute({ accountId, filter }: StreamAuditEvents): Promise<AuditStream> {
    return this.directory.stream(accountId, filter);
  }
}

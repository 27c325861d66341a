import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Read } from '../../../kernel/read.js';
import { AuditDirectory } from '../audit-directory/audit-directory.js';
import type { AuditEvent } from '../domain/audit-event.js';

/**
 * Reads an event of an account by its id. Throws a Refusal when the account has no such event.
 */
export class ReadAuditEvent extends Query<Read<AuditEvent>> {
  constructor(
    readonly accountId: string,
    readonly id: string,
  ) {
    super();
  }
}

@QueryHandler(ReadAuditEvent)
export class ReadAuditEventHandler implements IQueryHandler<ReadAuditEvent> {
  constructor(@Inject(AuditDirectory) private readonly directory: AuditDirectory) {}

  execute({ accountId, id }: ReadAuditEvent): Promise<Read<AuditEvent>> {
    return this.directory.event(accountId, id);
  }
}

import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Position } from '../../kernel/position.js';
import { AuditDirectory } from '../audit-directory/audit-directory.js';
import type { AuditEvent } from '../domain/audit-event.js';

/**
 * Reads an event of an account by its id. Returns the event, and the log position that the answer reflects at least.
 * Throws a Refusal when the account has no such event.
 */
export class ReadAuditEvent extends Query<{
  readonly event: AuditEvent;
  readonly position: Position;
}> {
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

  execute({ accountId, id }: ReadAuditEvent): Promise<{ event: AuditEvent; position: Position }> {
    return this.directory.event(accountId, id);
  }
}

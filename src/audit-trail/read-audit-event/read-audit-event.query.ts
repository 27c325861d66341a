import { Query } from '@nestjs/cqrs';
import type { Position } from '../../kernel/position.js';
import type { AuditEvent } from '../domain/audit-event.js';

/** An event of an account by its id, with the log position that it reflects at least. */
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

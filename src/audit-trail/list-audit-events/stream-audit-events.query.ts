import { Query } from '@nestjs/cqrs';
import type { AuditStream } from '../audit-directory/audit-directory.js';
import type { EventFilter } from '../audit-directory/event-filter.js';

/** All events of an account that match a filter, newest first, however many there are. */
export class StreamAuditEvents extends Query<AuditStream> {
  constructor(
    readonly accountId: string,
    readonly filter: EventFilter,
  ) {
    super();
  }
}

import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  AuditDirectory,
  type AuditPage,
  type AuditPageWanted,
  type AuditStream,
} from '../audit-directory/audit-directory.js';
import type { EventFilter } from '../audit-directory/event-filter.js';

/** Lists a page of the events of an account that match a filter, newest first. */
export class ListAuditEvents extends Query<AuditPage> {
  constructor(
    readonly accountId: string,
    readonly page: AuditPageWanted,
  ) {
    super();
  }
}

@QueryHandler(ListAuditEvents)
export class ListAuditEventsHandler implements IQueryHandler<ListAuditEvents> {
  constructor(@Inject(AuditDirectory) private readonly directory: AuditDirectory) {}

  execute({ accountId, page }: ListAuditEvents): Promise<AuditPage> {
    return this.directory.page(accountId, page);
  }
}

/** Streams all events of an account that match a filter, newest first. */
export class StreamAuditEvents extends Query<AuditStream> {
  constructor(
    readonly accountId: string,
    readonly filter: EventFilter,
  ) {
    super();
  }
}

@QueryHandler(StreamAuditEvents)
export class StreamAuditEventsHandler implements IQueryHandler<StreamAuditEvents> {
  constructor(@Inject(AuditDirectory) private readonly directory: AuditDirectory) {}

  execute({ accountId, filter }: StreamAuditEvents): Promise<AuditStream> {
    return this.directory.stream(accountId, filter);
  }
}

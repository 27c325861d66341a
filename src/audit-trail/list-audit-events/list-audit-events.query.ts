import { Query } from '@nestjs/cqrs';
import type { AuditPage, AuditPageWanted } from '../audit-directory/audit-directory.js';

/** A page of the events of an account that match a filter, newest first. */
export class ListAuditEvents extends Query<AuditPage> {
  constructor(
    readonly accountId: string,
    readonly page: AuditPageWanted,
  ) {
    super();
  }
}

import { Module } from '@nestjs/common';
import { AuditDirectory } from './audit-directory/audit-directory.js';
import { ListAuditEventsController } from './list-audit-events/list-audit-events.controller.js';
import {
  ListAuditEventsHandler,
  StreamAuditEventsHandler,
} from './list-audit-events/list-audit-events.query.js';
import { ReadAuditEventController } from './read-audit-event/read-audit-event.controller.js';
import { ReadAuditEventHandler } from './read-audit-event/read-audit-event.query.js';

/** The audit trail: every action in an account, with its actor. */
@Module({
  controllers: [ListAuditEventsController, ReadAuditEventController],
  providers: [
    AuditDirectory,
    ListAuditEventsHandler,
    StreamAuditEventsHandler,
    ReadAuditEventHandler,
  ],
})
export class AuditTrailModule {}

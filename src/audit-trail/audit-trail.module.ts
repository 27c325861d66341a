import { Module } from '@nestjs/common';
import { AuditDirectory } from './audit-directory/audit-directory.js';
import { ListAuditEventsController } from './list-audit-events/list-audit-events.controller.js';
import { ListAuditEventsHandler } from './list-audit-events/list-audit-events.handler.js';
import { StreamAuditEventsHandler } from './list-audit-events/stream-audit-events.handler.js';
import { ReadAuditEventController } from './read-audit-event/read-audit-event.controller.js';
import { ReadAuditEventHandler } from './read-audit-event/read-audit-event.handler.js';

/** What was done in an account, by whom. */
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

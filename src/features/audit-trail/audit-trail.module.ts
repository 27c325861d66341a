import { Module } from '@nestjs/common';
import { AuditDirectory } from './audit-directory/audit-directory.js';
import { EventFeed } from './audit-directory/event-feed.js';
import { AuditController } from './audit.controller.js';
import { EventsController } from './events.controller.js';
import { WaitingReaders } from './waiting-readers.js';

@Module({
  controllers: [AuditController, EventsController],
  providers: [AuditDirectory, EventFeed, WaitingReaders],
})
export class AuditTrailModule {}

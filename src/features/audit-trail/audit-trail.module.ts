import { Module } from '@nestjs/common';
import { AuditDirectory } from './audit-directory/audit-directory.js';
import { AuditController } from './audit.controller.js';

@Module({ controllers: [AuditController], providers: [AuditDirectory] })
export class AuditTrailModule {}

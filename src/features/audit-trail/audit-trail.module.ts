import { Module } from '@nestjs/common';
import { AuditDirectory } from './audit-directory/audit-directory.js';
import { AuditController } from './audit.controller.js';

/** The audit trail: every action in an account, with its actor. */
@Module({ controllers: [AuditController], providers: [AuditDirectory] })
export class AuditTrailModule {}

import { Global, Module } from '@nestjs/common';
import { KEY_USES } from '../keys/published/usage-of-keys.port.js';
import { SPENDING } from '../keys/published/spent-toward-limits.port.js';
import { ActivityDirectory } from './activity-directory/activity-directory.js';
import { ActivityController } from './activity.controller.js';
import { ReportAdmission } from './report-admission.js';
import { ReportTurns } from './report-turns.js';
import { ReportedKeys } from './key-attribution.js';
import { KnownSpending } from './spent-toward-limits/spent-so-far.js';
import { UsageDirectory } from './usage-directory/usage-directory.js';
import { ReportUsageHandler, ReverseUsageHandler } from './usage-reports.commands.js';
import { UsageReportsController } from './usage-reports.controller.js';

/** Usage of keys: reports, and what is summed up of them. Keys and verification get the sums by names of `keys`. */
@Global()
@Module({
  controllers: [ActivityController, UsageReportsController],
  providers: [
    ActivityDirectory,
    ReportAdmission,
    ReportTurns,
    ReportedKeys,
    ReportUsageHandler,
    ReverseUsageHandler,
    UsageDirectory,
    { provide: KEY_USES, useExisting: UsageDirectory },
    KnownSpending,
    { provide: SPENDING, useExisting: KnownSpending },
  ],
  exports: [ReportUsageHandler, ReverseUsageHandler, KEY_USES, KnownSpending, SPENDING],
})
export class UsageModule {}

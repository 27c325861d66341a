import { Global, Module } from '@nestjs/common';
import { USAGE_OF_SUBJECTS } from '../keys/published/usage-of-subjects.port.js';
import { SPENT_TOWARD_LIMITS } from '../keys/published/spent-toward-limits.port.js';
import { ActivityDirectory } from './activity-directory/activity-directory.js';
import { ActivityController } from './activity.controller.js';
import { ReportAdmission } from './report-admission.js';
import { ReportTurns } from './report-turns.js';
import { KeyAttribution } from './key-attribution.js';
import { LimitNotices } from './limits-reached/limit-notices.js';
import { SpentSoFar } from './spent-toward-limits/spent-so-far.js';
import { UsageDirectory } from './usage-directory/usage-directory.js';
import { ReportUsageHandler, ReverseUsageHandler } from './usage-reports.commands.js';
import { UsageReportsController } from './usage-reports.controller.js';

/** Usage of keys: reports and their sums, which keys and verification get by names of `keys`. */
@Global()
@Module({
  controllers: [ActivityController, UsageReportsController],
  providers: [
    ActivityDirectory,
    ReportAdmission,
    ReportTurns,
    KeyAttribution,
    ReportUsageHandler,
    ReverseUsageHandler,
    UsageDirectory,
    { provide: USAGE_OF_SUBJECTS, useExisting: UsageDirectory },
    LimitNotices,
    SpentSoFar,
    { provide: SPENT_TOWARD_LIMITS, useExisting: SpentSoFar },
  ],
  exports: [
    LimitNotices,
    ReportUsageHandler,
    UsageDirectory,
    USAGE_OF_SUBJECTS,
    SpentSoFar,
    SPENT_TOWARD_LIMITS,
  ],
})
export class UsageModule {}

import { type LedgerDefinition, USAGE } from '../../event-sourcing/ledger.js';
import { readSideOf } from '../../event-sourcing/projections/read-side.js';
import { activity } from '../../features/usage/activity-directory/activity.projection.js';
import { usageEvents } from '../../features/usage/domain/usage.events.js';
import { subjectUsage } from '../../features/usage/usage-directory/subject-usage.projection.js';

export const usage: LedgerDefinition = {
  tokens: USAGE,
  log: 'usage',
  firstEvents: 0,
  events: usageEvents,
  readSide: readSideOf('usage', [subjectUsage, activity]),
};

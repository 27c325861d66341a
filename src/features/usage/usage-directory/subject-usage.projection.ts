import type { Projection } from '../../../event-sourcing/projections/projection.js';
import { addedUsage, type SubjectUsage, withUsage } from '../domain/subject-usage.js';
import { type UsageEvent, usageEvents } from '../domain/usage.events.js';
import { sumsIn } from '../domain/usage-sums.js';

export interface SubjectUsageCollections {
  readonly subject_usage: SubjectUsage;
}

/**
 * The use of each key, workspace and end user, by the name of the subject. One that was never used
 * has no document.
 */
export const subjectUsage: Projection<UsageEvent, SubjectUsageCollections> = {
  name: 'subject-usage',
  version: 1,
  events: usageEvents,
  collections: { subject_usage: { indexes: {} } },
  evolve: (documents, event) => {
    for (const added of addedUsage(sumsIn(event))) {
      const before = documents.get('subject_usage', added.subject);
      documents.set('subject_usage', added.subject, withUsage(before, added));
    }
  },
};

import type { Projection } from '../../../event-sourcing/projections/projection.js';
import { addedUsage, type SubjectUsage, withUsage } from '../domain/subject-usage.js';
import { type UsageEvent, usageEvents } from '../domain/usage.events.js';
import { sumsIn } from '../domain/usage-sums.js';

export interface SubjectUsageCollections {
  readonly subject_usage: SubjectUsage;
  readonly subject_counts: { readonly count: number };
}

/** The document that counts the end users who have a document. */
export const END_USERS = 'end-users';

/**
 * The use of each key, workspace and end user, by the name of the subject. One that was never used
 * has no document. End users are counted, because nothing else bounds how many there are.
 */
export const subjectUsage: Projection<UsageEvent, SubjectUsageCollections> = {
  name: 'subject-usage',
  version: 2,
  events: usageEvents,
  collections: { subject_usage: { indexes: {} }, subject_counts: { indexes: {} } },
  evolve: (documents, event) => {
    for (const added of addedUsage(sumsIn(event))) {
      const before = documents.get('subject_usage', added.subject);
      if (!before && added.user !== null) {
        const { count } = documents.get('subject_counts', END_USERS) ?? { count: 0 };
        documents.set('subject_counts', END_USERS, { count: count + 1 });
      }
      documents.set('subject_usage', added.subject, withUsage(before, added));
    }
  },
};

import type { Part } from '../../../event-sourcing/projections/list-in-parts.js';
import type { View } from '../../../event-sourcing/read-store/read-store.js';
import type { AuditCollections, EventDocument } from './audit-trail.projection.js';
import type { Plan } from './event-filter.js';

/** The maximum number of events in a range, if the number of wanted events is unknown. */
export const RANGE_EVENTS = 250;
/** The number of bytes after which a range ends early, because a query blocks other requests. */
export const RANGE_BYTES = 250_000;

/**
 * Reads one range of each run of a plan.
 * @param before the bound: all events in the part have a lower order.
 * @param limit the maximum number of events in a range.
 */
export async function readNewestPart(
  view: View<AuditCollections>,
  plan: Plan,
  before = plan.before,
  limit = RANGE_EVENTS,
): Promise<Part<EventDocument>> {
  const bounds = { from: plan.from, before, limit, bytes: RANGE_BYTES, descending: true };
  const ranges = await Promise.all(
    plan.runs.map((run) => view.range('audit_events', { ...run, ...bounds })),
  );
  // Nothing is known behind a range that stopped early, so the part ends at the newest such end.
  const [end] = ranges
    .filter(({ documents, isWhole }) => !isWhole || documents.length === limit)
    .flatMap(({ documents }) => documents.slice(-1))
    .sort(byNewest);
  const read = ranges.flatMap(({ documents }) => documents).sort(byNewest);
  // Two runs may have the same event.
  const rows = read.filter(
    ({ order }, index) => order !== read[index - 1]?.order && (!end || order >= end.order),
  );
  return { rows, next: end?.order ?? null };
}

function byNewest(a: EventDocument, b: EventDocument): number {
  if (a.order === b.order) return 0;
  return a.order > b.order ? -1 : 1;
}

import type { View } from '../../../event-sourcing/read-store/read-store.js';
import type { EventDocument } from './audit-trail.projection.js';
import type { IndexRun, Plan } from './event-filter.js';

/** The number of events up to which the queries of a run grow. Each reads at most twice as many as the query before. */
const LONGEST_READ = 256;
/** The number of bytes after which a query ends early, because a query blocks other requests. */
const LARGEST_READ = 250_000;

/**
 * Yields the events in the runs of a plan, newest first and each event once. Reads more events only when asked.
 * @param before the order of an event. Only older events are yielded.
 * @param wanted the number of events that the consumer asks for if all of them match.
 */
export async function* newestFirst(
  view: View,
  { runs, from, to }: Plan,
  before: string | undefined,
  wanted: number,
): AsyncGenerator<EventDocument, undefined> {
  const bound = before !== undefined && (to === undefined || before < to) ? before : to;
  const opened = runs.map(async (run) => {
    const events = readRun(view, run, from, bound, wanted);
    const next = await events.next();
    return next.done ? [] : [{ event: next.value, events }];
  });
  const heads: Head[] = (await Promise.all(opened)).flat();
  for (;;) {
    const [newest] = heads.reduce<Head[]>(
      (best, head) => (best[0] && best[0].event.order >= head.event.order ? best : [head]),
      [],
    );
    if (!newest) return undefined;
    const { event } = newest;
    yield event;
    for (const head of heads.filter((other) => other.event.order === event.order)) {
      const next = await head.events.next();
      if (next.done) heads.splice(heads.indexOf(head), 1);
      else head.event = next.value;
    }
  }
}

interface Head {
  event: EventDocument;
  readonly events: AsyncGenerator<EventDocument, undefined>;
}

/** Yields the events of one run between two orders, newest first: `from` included, `before` excluded. */
async function* readRun(
  view: View,
  run: IndexRun,
  from: string,
  before: string | undefined,
  firstRead: number,
): AsyncGenerator<EventDocument, undefined> {
  let bound = before;
  let read = firstRead;
  // An index range includes its bound. From the second query on, the bound is an event that was yielded already.
  let skip = 0;
  for (;;) {
    const limit = read + 1;
    const to = bound !== undefined && { to: bound };
    const range = { ...run, from, skip, limit, bytes: LARGEST_READ, descending: true, ...to };
    const { documents, isWhole } = await view.range<EventDocument>('events', range);
    for (const event of documents) if (event.order !== bound) yield event;
    const last = documents.at(-1);
    if (!last || (isWhole && documents.length < limit)) return undefined;
    bound = last.order;
    skip = 1;
    read = isWhole ? Math.min(read * 2, Math.max(firstRead, LONGEST_READ)) : documents.length;
  }
}

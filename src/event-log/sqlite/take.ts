const BATCH_EVENTS = 300;
/** Characters of stored JSON in a batch or a page, as events may be large. */
const BATCH_SIZE = 8_000_000;
/** The same in one fetch: what is larger than a page of the heap is collected at a higher cost. */
const FETCH_SIZE = 100_000;
const FIRST_FETCH = 4;
/** Each fetch has a cost of its own, and what is fetched next may be larger than what was. */
const GROWTH = 4;

/** Events that were fetched at once, and the characters of their JSON. */
export interface Fetched<Event> {
  readonly events: readonly Event[];
  readonly size: number;
}

/**
 * As many events as fit into memory, fetched a few at first and then as many as those let expect.
 * @param fetch gives up to `limit` more behind the number of those taken.
 * @returns with them whether there may be more.
 */
export function take<Event>(fetch: (taken: number, limit: number) => Fetched<Event>): {
  events: Event[];
  mayGoOn: boolean;
} {
  const events: Event[] = [];
  let size = 0;
  let limit = FIRST_FETCH;
  for (;;) {
    const fetched = fetch(events.length, limit);
    for (const event of fetched.events) events.push(event);
    size += fetched.size;
    if (fetched.events.length < limit) return { events, mayGoOn: false };
    const each = size / events.length;
    const atOnce = Math.max(1, Math.floor(FETCH_SIZE / each));
    const fitting = Math.floor((BATCH_SIZE - size) / each);
    limit = Math.min(GROWTH * limit, atOnce, fitting, BATCH_EVENTS - events.length);
    if (limit < 1) return { events, mayGoOn: true };
  }
}

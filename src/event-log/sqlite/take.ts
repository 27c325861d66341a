const BATCH_EVENTS = 300;
/** Characters of stored JSON in a batch, as events may be large. */
const BATCH_SIZE = 8_000_000;
/** The same in one fetch: what is larger than a page of the heap is collected at a higher cost. */
const FETCH_SIZE = 100_000;
/** Of events of which nothing is known. */
const FIRST_FETCH = 4;
/** Each fetch has a cost of its own, and what is fetched next may be larger than what was. */
const GROWTH = 4;

/** Events that were fetched at once, and the characters of their JSON. */
export interface Fetched<Event> {
  readonly events: readonly Event[];
  readonly size: number;
}

export interface Taken<Event> {
  readonly events: Event[];
  /** How many to fetch first of those that follow; undefined when there are none. */
  readonly next: number | undefined;
}

/**
 * As many events as fit into memory, fetched a few at first and then as many as those let expect.
 * @param fetch gives up to `limit` more behind the number of those taken.
 * @param first how many to fetch first, as those before let expect. Default a few.
 * @param most characters of their JSON.
 */
export function take<Event>(
  fetch: (taken: number, limit: number) => Fetched<Event>,
  first = FIRST_FETCH,
  most = BATCH_SIZE,
): Taken<Event> {
  const events: Event[] = [];
  let size = 0;
  let limit = first;
  for (;;) {
    const fetched = fetch(events.length, limit);
    for (const event of fetched.events) events.push(event);
    size += fetched.size;
    if (fetched.events.length < limit) return { events, next: undefined };
    const each = size / events.length;
    const atOnce = Math.max(1, Math.floor(FETCH_SIZE / each));
    const fitting = Math.floor((most - size) / each);
    limit = Math.min(GROWTH * limit, atOnce, fitting, BATCH_EVENTS - events.length);
    if (limit < 1) return { events, next: Math.min(atOnce, BATCH_EVENTS) };
  }
}

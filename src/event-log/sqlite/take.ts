import type { Row, StreamRow } from './rows.js';

const BATCH_EVENTS = 500;
/** Characters of stored JSON in a batch or a page, as events may be large. */
const BATCH_SIZE = 8_000_000;
const FIRST_FETCH = 4;
/** Each fetch has a cost of its own, and what is fetched next may be larger than what was. */
const GROWTH = 4;

/**
 * As many rows as fit into memory, fetched a few at first and then as many as those let expect.
 * @param fetch gives up to `limit` more rows behind those taken.
 * @returns with them the number of the last row when there may be more.
 */
export function take<Taken extends Row | StreamRow>(
  fetch: (taken: readonly Taken[], limit: number) => Taken[],
): {
  rows: Taken[];
  last: number | undefined;
} {
  const rows: Taken[] = [];
  let size = 0;
  let limit = FIRST_FETCH;
  for (;;) {
    const fetched = fetch(rows, limit);
    for (const row of fetched) {
      rows.push(row);
      const [, , , , data, metadata] = row;
      size += data.length + metadata.length;
    }
    if (fetched.length < limit) return { rows, last: undefined };
    const fitting = Math.floor((BATCH_SIZE - size) / (size / rows.length));
    limit = Math.min(GROWTH * limit, fitting, BATCH_EVENTS - rows.length);
    if (limit < 1) return { rows, last: rows.at(-1)?.[0] };
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { jsonBytes, MOST_ANSWER_BYTES, sizeOf } from '../../kernel/sizes.js';

/** Rows of a list in its order, from one state of the read model. */
export interface Part<Row> {
  readonly rows: readonly Row[];
  /** The place after which the next part begins; null when no part follows. */
  readonly next: string | null;
}

/** Yields the rows of the first part, and of each further part when the consumer asks for it. */
export async function* readInParts<Row>(
  first: Part<Row>,
  read: (after: string) => Promise<Part<Row>>,
): AsyncGenerator<readonly Row[]> {
  let part = first;
  for (;;) {
    yield part.rows;
    const { next } = part;
    if (next === null) return;
    // Each part is read from a state of its own, because a slow reader must not hold a state of the store for long.
    part = await read(next);
    // Other requests get a turn here, because a fast reader of an embedded store could otherwise block them.
    // The turn comes after the read: a reader who left during a turn before the read would cause a useless read.
    await nextTurn();
  }
}

/** The records of a page, and the place after which the next page begins; null when this page is the last one. */
export interface PlacedPage<Shown> {
  readonly records: readonly Shown[];
  readonly next: string | null;
}

export interface Filling<Row, Shown> {
  /** The most records of the page. */
  readonly limit: number;
  /** The most rows that are examined, matching or not. */
  readonly mostExamined: number;
  /** The most bytes of an answer without its records: a cursor and the names of fields. */
  readonly frameBytes: number;
  /** Returns the record that shows a row; null for a row that does not match. */
  readonly recordOf: (row: Row) => Shown | null;
  readonly placeOf: (row: Row) => string;
}

/** Takes records until a page is full or has reached its bounds, and looks whether a row follows. */
export async function filledPage<Row, Shown>(
  parts: AsyncIterable<readonly Row[]>,
  { limit, mostExamined, frameBytes, recordOf, placeOf }: Filling<Row, Shown>,
): Promise<PlacedPage<Shown>> {
  const records: Shown[] = [];
  let next: string | null = null;
  let examined = 0;
  let bytesLeft = MOST_ANSWER_BYTES - frameBytes;
  for await (const rows of parts) {
    for (const row of rows) {
      const record = recordOf(row);
      bytesLeft -= record ? jsonBytes(record) + 1 : sizeOf(row);
      const isFull =
        examined === mostExamined || bytesLeft < 0 || (record !== null && records.length === limit);
      // One record alone always fits, so that each page has a next one.
      if (isFull && next !== null) return { records, next };
      if (record) records.push(record);
      examined += 1;
      next = placeOf(row);
    }
  }
  return { records, next: null };
}

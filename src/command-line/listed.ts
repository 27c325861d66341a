import type { Paging } from '../kernel/page.js';
import { forPeople } from './for-people.js';

/** How many records are read and printed at once. */
const CHUNK = 1_000;

/** A list of any length. */
export interface Listed<Row> {
  /** The number of records that match, printed or not. */
  readonly total: number;
  /** The maximum number of records that are printed. */
  readonly limit: number;
  readonly chunks: AsyncIterable<readonly Row[]>;
}

/** A part of a list, and the number of all records that match. */
export interface Part<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
  /** The place of the last row; null when no more rows follow. */
  readonly next: string | null;
}

/**
 * Reads a list part by part, so that a list of any length takes little memory. A part begins after the last row of the
 * previous part, so that a change between two reads causes no row to be skipped or repeated.
 * @param limit the maximum number of records to print. Default: all.
 */
export async function listed<Row>(
  read: (page: Paging) => Promise<Part<Row>>,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<Listed<Row>> {
  const first = await read({ offset: 0, limit: Math.min(CHUNK, limit) });
  async function* chunks(): AsyncGenerator<readonly Row[]> {
    let { rows, next } = first;
    for (let left = limit; rows.length > 0;) {
      yield rows;
      left -= rows.length;
      if (next === null || left <= 0) return;
      ({ rows, next } = await read({ offset: 0, limit: Math.min(CHUNK, left), after: next }));
    }
  }
  return { total: first.total, limit, chunks: chunks() };
}

/** Formats a list as one JSON document with `data` and `total_count`. */
export async function* documentOf<Row>({ total, chunks }: Listed<Row>): AsyncGenerator<string> {
  let before = '{"data":[';
  for await (const rows of chunks) {
    yield before + rows.map((row) => JSON.stringify(row)).join(',');
    before = ',';
  }
  yield `${before === ',' ? '' : before}],"total_count":${total}}\n`;
}

/** Formats a list as tables for people, one table for each thousand records. */
export async function* tablesOf<Row extends object>(
  { chunks }: Listed<Row>,
  fields: readonly string[],
): AsyncGenerator<string> {
  let isEmpty = true;
  for await (const data of chunks) {
    isEmpty = false;
    yield forPeople({ data }, fields);
  }
  if (isEmpty) yield forPeople({ data: [] });
}

import { forPeople } from './for-people.js';

/** How many records are read and printed at once. */
const CHUNK = 1_000;

/** A list of any length. */
export interface Listed<Row> {
  /** How many match, printed or not. */
  readonly total: number;
  /** How many are printed at most. */
  readonly limit: number;
  readonly chunks: AsyncIterable<readonly Row[]>;
}

/** A part of a list, and the number of all that match. */
export interface Part<Found> {
  readonly rows: readonly Found[];
  readonly total: number;
}

/**
 * Reads a list part by part, so that a list of any length takes little memory.
 * @param read gives the part from an offset.
 * @param limit how many are printed at most. Default: all.
 */
export async function listed<Row>(
  read: (page: { readonly offset: number; readonly limit: number }) => Promise<Part<Row>>,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<Listed<Row>> {
  const size = Math.min(CHUNK, limit);
  const first = await read({ offset: 0, limit: size });
  async function* chunks(): AsyncGenerator<readonly Row[]> {
    let { rows } = first;
    for (let offset = 0; rows.length > 0;) {
      yield rows;
      offset += rows.length;
      if (offset >= limit || rows.length < size) return;
      ({ rows } = await read({ offset, limit: Math.min(CHUNK, limit - offset) }));
    }
  }
  return { total: first.total, limit, chunks: chunks() };
}

/** The list as one JSON document: `data` and `total_count`. */
export async function* documentOf<Row>({ total, chunks }: Listed<Row>): AsyncGenerator<string> {
  let before = '{"data":[';
  for await (const rows of chunks) {
    yield before + rows.map((row) => JSON.stringify(row)).join(',');
    before = ',';
  }
  yield `${before === ',' ? '' : before}],"total_count":${total}}\n`;
}

/** The list as tables for people, one for each thousand. */
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

/** The place and length of a page of a list. */
export interface Paging {
  /** The number of records before the page. Ignored when `after` is given. */
  readonly offset: number;
  readonly limit: number;
  /** The place, in the order of the list, of the last record before the page: the `next` of an earlier page. */
  readonly after?: string | undefined;
}

/** The rows of a page. `next` is the place of the last row; null when no more rows follow. */
export interface CutPage<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

/**
 * Cuts rows to a page of at most `limit` rows.
 * @param rows the rows from the start of the page. The caller reads one row more than `limit`, if the list has it.
 * @param placeOf returns the place of a row in the order of the list.
 */
export function cutPage<Row>(
  rows: readonly Row[],
  limit: number,
  placeOf: (row: Row) => string,
): CutPage<Row> {
  const last = rows[limit - 1];
  if (rows.length <= limit || last === undefined) return { rows, next: null };
  return { rows: rows.slice(0, limit), next: placeOf(last) };
}

/** The place and length of a page of a list. */
export interface Paging {
  /** The number of records before the page. Passed over when `after` is given. */
  readonly offset: number;
  readonly limit: number;
  /** The place of the last record before the page in the order of the list, as an earlier page gave it in `next`. */
  readonly after?: string | undefined;
}

/** Rows of a page, and the place of the last one; null when no more follow. */
export interface CutPage<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

/**
 * Ends a page after its limit.
 * @param rows of which one more was read than the page holds, where there are so many.
 * @param placeOf the place of a row in the order of the list.
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

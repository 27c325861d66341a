export interface Paging {
  /** The number of records before the page. */
  readonly offset: number;
  readonly limit: number;
}

/** A page of a list, and the number of all documents in the list. */
export interface Page<Kept> {
  readonly documents: readonly Kept[];
  readonly total: number;
}

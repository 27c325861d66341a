/** The place and length of a page of a list. */
export interface Paging {
  /** The number of records before the page. */
  readonly offset: number;
  readonly limit: number;
}

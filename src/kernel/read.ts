/** The result of a query to a read model. */
export interface Read<Found> {
  readonly found: Found;
  /** Whether `found` may lack writes that were answered before the query, because the wait for them timed out. */
  readonly isLate: boolean;
}

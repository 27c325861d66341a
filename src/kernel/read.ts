/** The result of a query to a read model. */
export interface Read<Found> {
  readonly found: Found;
  /** Whether `found` may lack writes answered before the query, as the wait for them timed out. */
  readonly isLate: boolean;
}

/** Whether a value is the result of a query. No record has a field that is not in `snake_case`. */
export function isRead(value: unknown): value is Read<unknown> {
  return typeof value === 'object' && value !== null && 'isLate' in value;
}

/** How far memory may be behind the logs. */
export interface Freshness {
  /** Whether each request waits for a check begun after its arrival, as on the embedded logs. */
  readonly eachRequest: boolean;
  /** The maximum age of the data that a decision about a key uses (docs/api.md 12.3). */
  readonly maxStalenessMs: number;
}

export const FRESHNESS = Symbol('Freshness');

/** Returns the moment, by `performance.now()`, before which everything stored must be known. */
export function freshSince(askedAt: number, { eachRequest, maxStalenessMs }: Freshness): number {
  return eachRequest ? askedAt : performance.now() - maxStalenessMs;
}

/** How far what is in memory may be behind the logs. */
export interface Freshness {
  /** Whether each request waits for a look that began after it came, as on the embedded logs. */
  readonly eachRequest: boolean;
  /** The maximum age of what a decision about a key knows (docs/api.md 12.3). */
  readonly maxStalenessMs: number;
}

export const FRESHNESS = Symbol('Freshness');

/** Returns the moment, by `performance.now()`, before which all that was stored must be known. */
export function freshSince(askedAt: number, { eachRequest, maxStalenessMs }: Freshness): number {
  return eachRequest ? askedAt : performance.now() - maxStalenessMs;
}

/** Attempts that came to nothing, from the first to the last. */
export interface Aborted {
  readonly first: number;
  readonly last: number;
}

/**
 * Which attempts to write a batch count. Attempts are numbered; the documents of one are seen from its commit on,
 * all at once. One that was overtaken never counts, whatever its writer, should it still be there, goes on to write.
 */
export interface Attempts {
  /** The newest; above `committed` while it is under way. */
  readonly attempt: number;
  readonly committed: number;
  /** Those below `committed` that came to nothing, in ascending order. */
  readonly aborted: readonly Aborted[];
}

/** The newest attempt that is known to have been left by whoever began it, so that nobody need wait for its end. */
export interface LeftAttempt {
  attempt: number | undefined;
}

export const NO_ATTEMPTS: Attempts = { attempt: 0, committed: 0, aborted: [] };

export function isCommitted({ committed, aborted }: Attempts, attempt: number): boolean {
  if (attempt > committed) return false;
  return !aborted.some(({ first, last }) => first <= attempt && attempt <= last);
}

/** The same with a new attempt; those under way come to nothing by it. */
export function nextAttempt({ attempt, committed, aborted }: Attempts): Attempts {
  return { attempt: attempt + 1, committed, aborted: abortedUpTo(attempt, committed, aborted) };
}

function abortedUpTo(
  attempt: number,
  committed: number,
  aborted: readonly Aborted[],
): readonly Aborted[] {
  if (attempt === committed) return aborted;
  const last = aborted.at(-1);
  // A row of failures, such as that of a server that takes no documents, stays one entry.
  if (!last || last.last < committed) return [...aborted, { first: committed + 1, last: attempt }];
  return [...aborted.slice(0, -1), { first: last.first, last: attempt }];
}

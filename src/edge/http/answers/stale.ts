import type { Response } from 'express';

/** The header of an answer that may lack writes answered before its request (docs/api.md 6.3). */
export const STALE = { 'Keyledger-Stale': 'true' } as const;

export function markStale(response: Response, isLate: boolean): void {
  if (isLate) response.set(STALE);
}

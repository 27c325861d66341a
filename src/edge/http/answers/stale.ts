import type { Response } from 'express';

/** The header of an answer that may lack writes answered before its request (docs/api.md 6.3). */
export const STALE = { 'Keyledger-Stale': 'true' } as const;

/** Says that an answer may lack earlier writes, if the read was late. */
export function markStale(response: Response, isLate: boolean): void {
  if (isLate) response.set(STALE);
}

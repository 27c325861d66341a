import type { Response } from 'express';
import type { Position } from '../kernel/position.js';

const LOG_POSITION_HEADER = 'X-Log-Position';
const STALE_HEADER = 'Keyledger-Stale';

/** The position of each read model when a wait for it last timed out. An answer at such a position may lack writes. */
const lateAt = new Map<string, Position>();

/**
 * Records the position of a read model after a query has waited for earlier writes.
 * @param isSettled whether the read model had all writes that were answered before the query.
 */
export function noteRead(readModel: string, position: Position, isSettled: boolean): void {
  if (!isSettled) lateAt.set(readModel, position);
  else if (lateAt.get(readModel) === position) lateAt.delete(readModel);
}

/**
 * Returns the headers of an answer from a read model: the log position that the answer reflects at least, and whether
 * the answer may lack writes that were answered before the request (docs/api.md 6.3).
 */
export function logPositionHeaders(position: Position): Readonly<Record<string, string>> {
  const isLate = [...lateAt.values()].includes(position);
  return { [LOG_POSITION_HEADER]: position, ...(isLate && { [STALE_HEADER]: 'true' }) };
}

/** Sets the headers that `logPositionHeaders` returns. */
export function setLogPosition(response: Response, position: Position): void {
  for (const [name, value] of Object.entries(logPositionHeaders(position))) {
    response.setHeader(name, value);
  }
}

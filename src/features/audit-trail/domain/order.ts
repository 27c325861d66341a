import type { Position } from '../../../kernel/position.js';

const TIME_LENGTH = '2026-11-26T00:00:00.000Z'.length;
const SEPARATOR = ' ';

/**
 * Returns the order of an event: a string that sorts by time, and by log position where times are equal. A time alone
 * sorts before the orders of all events at or after it.
 */
export function orderOf(occurredAt: string, position: Position): string {
  return occurredAt + SEPARATOR + position;
}

export function timeIn(order: string): string {
  return order.slice(0, TIME_LENGTH);
}

export function positionIn(order: string): Position {
  return order.slice(TIME_LENGTH + SEPARATOR.length);
}

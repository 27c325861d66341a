import { type Position, shortPosition } from '../../../kernel/position.js';

const LATEST = Date.parse('9999-12-31T23:59:59.999Z');
const BASE = 36;
const TIME_DIGITS = LATEST.toString(BASE).length;

/**
 * Returns the order of an event: a string that sorts by time, and by log position where times are
 * equal. It is short, because each index of the trail holds it once for each event.
 */
export function orderOf(occurredAt: string, position: Position): string {
  return orderAt(occurredAt) + shortPosition(position);
}

/** Returns a string that sorts before the orders of all events at or after a time. */
export function orderAt(time: string): string {
  // Another program may write an event whose time is none. It then counts as the oldest.
  const milliseconds = Math.min(Math.max(Date.parse(time) || 0, 0), LATEST);
  return milliseconds.toString(BASE).padStart(TIME_DIGITS, '0');
}

export function timeIn(order: string): string {
  return new Date(Number.parseInt(order.slice(0, TIME_DIGITS), BASE)).toISOString();
}

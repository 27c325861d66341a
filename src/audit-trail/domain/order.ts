import type { Position } from '../../kernel/position.js';

/** Length of a time as every order begins with it. */
const TIME_LENGTH = '2026-11-26T00:00:00.000Z'.length;
const SEPARATOR = ' ';
/** Times have a fixed width up to here. */
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * A place in the order of the audit trail: by time, and by log position where times are equal. It compares as text in that
 * order, and everything at a time is greater than the time alone.
 */
export function orderOf(occurredAt: string, position: Position): string {
  return orderAt(occurredAt) + SEPARATOR + position;
}

/** Before everything that happened at a time, and behind all that happened earlier. A text that is no time comes first. */
export function orderAt(time: string): string {
  const ms = Math.min(Math.max(0, Date.parse(time) || 0), LAST_TIME);
  return new Date(ms).toISOString();
}

/** Whether a text is a place in this order. Orders of earlier releases are none. */
export function isOrder(text: string): boolean {
  return orderOf(timeIn(text), positionIn(text)) === text;
}

export function timeIn(order: string): string {
  return order.slice(0, TIME_LENGTH);
}

export function positionIn(order: string): Position {
  return order.slice(TIME_LENGTH + SEPARATOR.length);
}

import type { Position } from '../../../kernel/position.js';

/** The number of characters of the time at the beginning of every order. */
const TIME_LENGTH = '2026-11-26T00:00:00.000Z'.length;
const IN_FORM = /^[0-9]{4}-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9][.][0-9]{3}Z$/;
const SEPARATOR = ' ';
/** The last time whose string has `TIME_LENGTH` characters, in milliseconds since 1970. Later times are longer. */
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/** Returns the order of an event: a string that sorts by time, and by log position where times are equal. */
export function orderOf(occurredAt: string, position: Position): string {
  return orderAt(occurredAt) + SEPARATOR + position;
}

/**
 * Returns a string that sorts before the orders of all events at or after a time, and after the orders of earlier events.
 * A string that is no time counts as the start of 1970.
 */
export function orderAt(time: string): string {
  // The times of events have this form already.
  if (IN_FORM.test(time)) return time;
  const ms = Math.min(Math.max(0, Date.parse(time) || 0), LAST_TIME);
  return new Date(ms).toISOString();
}

/** Returns a string that sorts before an order and after all lower orders. The order must be ASCII. */
export function justBefore(order: string): string {
  const end = order.length - 1;
  return `${order.slice(0, end)}${String.fromCharCode(order.charCodeAt(end) - 1)}\uffff`;
}

export function timeIn(order: string): string {
  return order.slice(0, TIME_LENGTH);
}

export function positionIn(order: string): Position {
  return order.slice(TIME_LENGTH + SEPARATOR.length);
}

import type { Position } from '../../kernel/position.js';

/** Digits of a time in milliseconds: enough for the last year that a timestamp can name. */
const DIGITS = 15;

/**
 * A place in the order of the audit trail: by time, and by log position where times are equal. As text it compares in
 * that order, and everything at a time compares as greater than the time alone.
 */
export function orderOf(occurredAt: string, position: Position): string {
  return orderAt(occurredAt) + position;
}

/** Before everything that happened at a time, and behind all that happened earlier. */
export function orderAt(time: string): string {
  return String(Math.max(0, Date.parse(time))).padStart(DIGITS, '0');
}

export function timeIn(order: string): string {
  return new Date(Number(order.slice(0, DIGITS))).toISOString();
}

export function positionIn(order: string): Position {
  return order.slice(DIGITS);
}

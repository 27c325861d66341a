import type { Position } from '../../kernel/position.js';

/** Of a time in milliseconds, as short as it is sorted right: every event has it several times. */
const RADIX = 36;
const DIGITS = 9;
const LAST = RADIX ** DIGITS - 1;
/** Two digits at a time: as a whole it would be written by division of fractions, a fifth of what folding an event takes. */
const PAIR = RADIX ** 2;
const PAIRS = Array.from({ length: PAIR }, (_, number) => number.toString(RADIX).padStart(2, '0'));

/**
 * A place in the order of the audit trail: by time, and by log position where times are equal. As text it compares in
 * that order, and everything at a time compares as greater than the time alone.
 */
export function orderOf(occurredAt: string, position: Position): string {
  return orderAt(occurredAt) + position;
}

/** Before everything that happened at a time, and behind all that happened earlier. */
export function orderAt(time: string): string {
  let first = Math.min(Math.max(0, Date.parse(time)), LAST);
  let digits = '';
  for (let written = 1; written < DIGITS; written += 2) {
    digits = (PAIRS[first % PAIR] ?? '') + digits;
    first = Math.floor(first / PAIR);
  }
  return first.toString(RADIX) + digits;
}

export function timeIn(order: string): string {
  return new Date(Number.parseInt(order.slice(0, DIGITS), RADIX)).toISOString();
}

export function positionIn(order: string): Position {
  return order.slice(DIGITS);
}

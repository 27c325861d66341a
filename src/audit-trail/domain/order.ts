import type { Position } from '../../kernel/position.js';

/** Of a time in milliseconds, as short as it is sorted right: every event has it several times. */
const RADIX = 36;
const DIGITS = 9;
const LAST = RADIX ** DIGITS - 1;
/** The last four digits are written two at a time, and those before are kept from the event before, for half an hour. */
const PAIR = RADIX ** 2;
const PAIRS = Array.from({ length: PAIR }, (_, number) => number.toString(RADIX).padStart(2, '0'));
const kept = { first: -1, digits: '' };

/** Positions begin with a number that is filled up with zeros, of which a letter says how many: the more, the earlier it is. */
const NO_ZEROS = 'z'.charCodeAt(0);
const MOST_ZEROS = NO_ZEROS - 'a'.charCodeAt(0);
const LETTERS = Array.from({ length: MOST_ZEROS + 1 }, (_, zeros) =>
  String.fromCharCode(NO_ZEROS - zeros),
);
const ZERO = '0'.charCodeAt(0);
const NINE = '9'.charCodeAt(0);

/**
 * A place in the order of the audit trail: by time, and by log position where times are equal. As text it compares in
 * that order, and everything at a time compares as greater than the time alone.
 */
export function orderOf(occurredAt: string, position: Position): string {
  return orderAt(occurredAt) + shortened(position);
}

/** Before everything that happened at a time, and behind all that happened earlier. What is no time comes first. */
export function orderAt(time: string): string {
  const ms = Math.min(Math.max(0, Date.parse(time) || 0), LAST);
  const rest = ms % PAIR ** 2;
  const first = (ms - rest) / PAIR ** 2;
  if (first !== kept.first) {
    kept.first = first;
    kept.digits = first.toString(RADIX).padStart(DIGITS - 4, '0');
  }
  const last = rest % PAIR;
  return `${kept.digits}${PAIRS[(rest - last) / PAIR]}${PAIRS[last]}`;
}

export function timeIn(order: string): string {
  return new Date(Number.parseInt(order.slice(0, DIGITS), RADIX)).toISOString();
}

export function positionIn(order: string): Position {
  const zeros = NO_ZEROS - order.charCodeAt(DIGITS);
  return '0'.repeat(zeros) + order.slice(DIGITS + 1);
}

/** As cursors have it, which were given out before orders were shortened. */
export function spelledOut(order: string): string {
  return order.slice(0, DIGITS) + positionIn(order);
}

/** The order that was spelled out. */
export function orderIn(spelled: string): string {
  return spelled.slice(0, DIGITS) + shortened(spelled.slice(DIGITS));
}

/** A position as an order ends with it. As text it compares as positions do. */
export function shortened(position: Position): string {
  let zeros = 0;
  while (zeros < MOST_ZEROS && position.charCodeAt(zeros) === ZERO) zeros += 1;
  if (zeros > 0 && !isDigit(position, zeros)) zeros -= 1;
  return `${LETTERS[zeros]}${position.slice(zeros)}`;
}

function isDigit(text: string, place: number): boolean {
  const code = text.charCodeAt(place);
  return code >= ZERO && code <= NINE;
}

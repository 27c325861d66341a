/**
 * A place in the event log. `<` compares positions in log order. Only the adapter of a log makes
 * positions; other code stores, compares and passes them.
 */
export type Position = string;

/** The position before the first event. It is smaller than every other position. */
export const START: Position = '';

/**
 * Returns how far into its log a position is: in events, or on a log server in bytes. Every
 * position begins with this number.
 */
export function distanceTo(position: Position): number {
  return position === START ? 0 : Number.parseInt(position, 10);
}

/** A number in a position, with zeros before it. Each is followed by a dash. */
const NUMBER = /0*(\d+)-/g;

/**
 * Returns a shorter text that sorts like a position: without the zeros before its numbers, which
 * the count of digits replaces.
 */
export function shortPosition(position: Position): string {
  return position.replace(NUMBER, (_, digits: string) => digits.length.toString(36) + digits);
}

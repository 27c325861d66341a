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

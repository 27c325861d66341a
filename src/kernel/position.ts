/**
 * A place in the event log: an opaque string that compares with `<` in log order.
 * Only the adapter of a log makes one; everyone else keeps, compares and hands it back.
 */
export type Position = string;

/** Before the first event; smaller than every position. */
export const START: Position = '';

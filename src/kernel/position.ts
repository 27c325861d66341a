/**
 * A place in the event log: an opaque string. `<` compares positions in log order.
 * Only the adapter of a log makes positions; other code stores, compares and passes them.
 */
export type Position = string;

/** The position before the first event. It is smaller than every other position. */
export const START: Position = '';

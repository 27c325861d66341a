/** The source of the current time. Domain code never reads a clock; its callers pass the time. */
export interface Clock {
  now(): Date;
}

export const CLOCK = Symbol('Clock');

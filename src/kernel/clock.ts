/** Where the current time comes from. Domain code never asks; it is handed the answer. */
export interface Clock {
  now(): Date;
}

export const CLOCK = Symbol('Clock');

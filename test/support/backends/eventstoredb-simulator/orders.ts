import type { Fault } from './faults.js';
import type { View } from './membership.js';

/** A message from a test to the process. */
export type Asked =
  | { readonly inject: Fault }
  | { readonly heal: true }
  | { readonly join: View }
  | { readonly count: true };

/** The answer has the number of the message, and comes once the order is done. */
export type Order = { readonly order: number } & Asked;

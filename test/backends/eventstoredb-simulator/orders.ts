import type { Fault } from './faults.js';
import type { View } from './membership.js';

/** What a test asks of the process. */
export type Asked =
  | { readonly inject: Fault }
  | { readonly heal: true }
  | { readonly join: View }
  | { readonly count: true };

/** Answered with its own number once it is done. */
export type Order = { readonly order: number } & Asked;

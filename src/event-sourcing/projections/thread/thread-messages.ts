import type { Position } from '../../../kernel/position.js';
import type { Standing } from '../standing.js';
import type { CarriedError } from './carried-error.js';

/** A message to the thread that folds. */
export type ThreadRequest =
  | { readonly kind: 'hurry'; readonly position: Position; readonly timeoutMs: number }
  | { readonly kind: 'damaged'; readonly projection: string }
  | { readonly kind: 'stop' };

/** The standing of a projection, in a form for another thread. */
export type CarriedStanding = Omit<Standing, 'fault'> & { readonly fault: CarriedError | null };

/** A message from the thread that folds: the standings of all projections, or news of its log-server subscription. */
export type ThreadReport = readonly CarriedStanding[] | SubscriptionReport;

/** The cause of a lost subscription; null for a subscription that was regained. */
export interface SubscriptionReport {
  readonly lost: CarriedError | null;
}

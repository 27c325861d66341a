import type { Position } from '../../kernel/position.js';
import type { Standing } from '../standing.js';
import type { CarriedError } from './carried-error.js';

/** What the thread that folds is told. */
export type ThreadRequest =
  | { readonly kind: 'hurry'; readonly position: Position; readonly timeoutMs: number }
  | { readonly kind: 'damaged'; readonly projection: string }
  | { readonly kind: 'stop' };

/** Where a projection stands, on its way to another thread. */
export type CarriedStanding = Omit<Standing, 'fault'> & { readonly fault: CarriedError | null };

/** The thread that folds reports the standings of all projections, and what becomes of its subscription to a log server. */
export type ThreadReport = readonly CarriedStanding[] | SubscriptionReport;

/** A lost subscription with its cause, or null for a regained one. */
export interface SubscriptionReport {
  readonly lost: CarriedError | null;
}

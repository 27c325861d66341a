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

/** The one message of the thread that folds: where all projections stand. */
export type ThreadReport = readonly CarriedStanding[];

import type { Position } from '../../../kernel/position.js';
import type { Standing } from '../standing.js';
import type { CarriedError } from './carried-error.js';

/** A message to the thread that folds. */
export type ThreadRequest =
  | { readonly kind: 'hurry'; readonly position: Position; readonly timeoutMs: number }
  | { readonly kind: 'damaged'; readonly generation: number }
  | { readonly kind: 'stop' };

/** A message from the thread that folds: what has changed in the standing of the read side. */
export type ThreadReport = Partial<Omit<Standing, 'fault'>> & {
  readonly fault?: CarriedError | null;
};

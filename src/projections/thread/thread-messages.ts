import type { Position } from '../../kernel/position.js';
import type { RebuildNews } from '../outdated-projections.js';
import type { ProjectorState } from '../projector-state.js';
import type { CarriedError } from './carried-error.js';

export interface StopRequest {
  readonly kind: 'stop';
}

/** What the thread that folds is told. */
export type ThreadRequest =
  | {
      readonly kind: 'hurry';
      readonly projection: string;
      /** That somebody waits for, and for how long at most. */
      readonly position: Position;
      readonly timeoutMs: number;
    }
  | StopRequest;

/** Where a projection stands, in the thread that folds it. */
export interface Standing {
  readonly projection: string;
  /** That is folded. */
  readonly generation: number;
  readonly position: Position;
  readonly state: ProjectorState;
  /** Why it is stuck, else null. */
  readonly fault: CarriedError | null;
  readonly eventsFolded: number;
}

/** What the thread that folds tells. */
export type ThreadReport =
  | ({ readonly kind: 'standing' } & Standing)
  | { readonly kind: 'rebuild'; readonly news: Exclude<RebuildNews, { state: 'failed' }> }
  | { readonly kind: 'rebuild-failed'; readonly projection: string; readonly error: CarriedError };

/** What a thread that replays the log for one projection tells. */
export type ReplayReport =
  | {
      readonly kind: 'reached';
      readonly position: Position;
      /** By this thread. */
      readonly eventsFolded: number;
    }
  | { readonly kind: 'failed'; readonly error: CarriedError };

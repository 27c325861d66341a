import type { Position } from '../kernel/position.js';

/** How far to catch up, and what may end it before. */
export interface CatchUp {
  /** Events behind it are left out. Absent: the head of the log at the call. */
  readonly upTo?: Position;
  readonly signal?: AbortSignal;
  /** Told after each batch how far it is, and how many events the projector has folded in all. */
  readonly onProgress?: (reached: Position, folded: number) => void;
}

/** What another thread that catches up is given. */
export interface CatchUpElsewhere extends Required<Pick<CatchUp, 'signal' | 'onProgress'>> {
  /** Of the read model. Where another has come to serve meanwhile, there is nothing to catch up. */
  readonly generation: number;
}

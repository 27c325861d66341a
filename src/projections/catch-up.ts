import type { Position } from '../kernel/position.js';

/** How far to catch up, and what may end it before. */
export interface CatchUp {
  /** Events behind it are left out. Absent: the head of the log at the call. */
  readonly upTo?: Position;
  readonly signal?: AbortSignal;
  /** Told after each batch how far it is, and how many events the projector has folded in all. */
  readonly onProgress?: (reached: Position, folded: number) => void;
}

/** The same where it always goes to the head of the log. */
export type FoldOptions = Pick<CatchUp, 'signal' | 'onProgress'>;

/** The same of a replay in a generation beside. */
export type Replay = Required<FoldOptions>;

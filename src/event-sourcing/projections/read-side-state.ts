import { type Position, START } from '../../kernel/position.js';

export const READ_SIDE_PHASES = ['idle', 'catching-up', 'live', 'stalled', 'stuck'] as const;

/**
 * `idle`: the read side is not started. `catching-up`: it folds events from before the
 * subscription. `live`: it folds each event as the subscription delivers it. `stalled`: the log has
 * events that the subscription does not deliver; the engine subscribes again. `stuck`: a fault
 * keeps it from folding.
 */
export type ReadSidePhase = (typeof READ_SIDE_PHASES)[number];

export interface ReadSideState {
  /** The generation that serves; null while there is none. */
  readonly generation: number | null;
  /** The checkpoint of the generation that serves. A read that finds an earlier one is refused. */
  readonly position: Position;
  readonly phase: ReadSidePhase;
  /** The reason why the read side is stuck or stalled, else null. */
  readonly fault: unknown;
  readonly parked: number;
  /** The number of events that the thread which folds has folded. */
  readonly eventsFolded: number;
}

export const UNKNOWN_STATE: ReadSideState = {
  generation: null,
  position: START,
  phase: 'idle',
  fault: null,
  parked: 0,
  eventsFolded: 0,
};

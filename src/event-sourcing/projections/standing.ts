import { type Position, START } from '../../kernel/position.js';

export const READ_SIDE_STATES = ['idle', 'catching-up', 'live', 'stalled', 'stuck'] as const;

/**
 * `idle`: the read side is not started. `catching-up`: it folds events from before the subscription. `live`: it folds
 * each event as the subscription delivers it. `stalled`: the log has events that the subscription does not deliver; the
 * engine subscribes again. `stuck`: a fault keeps the read side from folding.
 */
export type ReadSideState = (typeof READ_SIDE_STATES)[number];

/** The state and position of a read side, as an engine knows them. */
export interface Standing {
  /** The generation that serves; null while there is none. */
  readonly generation: number | null;
  /** The checkpoint of the generation that serves. A read that finds an earlier checkpoint is refused. */
  readonly position: Position;
  readonly state: ReadSideState;
  /** Why the read side is stuck or stalled, else null. */
  readonly fault: unknown;
  /** The number of accounts that are parked at an event that cannot be read. */
  readonly parked: number;
  /** The number of events that the thread which folds has folded. */
  readonly eventsFolded: number;
}

export const UNKNOWN: Standing = {
  generation: null,
  position: START,
  state: 'idle',
  fault: null,
  parked: 0,
  eventsFolded: 0,
};

/** News about a read side that an operator should know. */
export type ReadSideNews =
  | { readonly kind: 'stuck'; readonly error: unknown }
  | { readonly kind: 'stalled'; readonly error: unknown }
  | { readonly kind: 'goes-on' }
  | { readonly kind: 'switched'; readonly generation: number }
  | { readonly kind: 'degraded'; readonly problem: string };

export function parkedAccounts(count: number): string {
  return `${count} ${count === 1 ? 'account is' : 'accounts are'} parked at an event that cannot be read`;
}

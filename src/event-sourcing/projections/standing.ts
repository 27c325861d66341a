import { type Position, START } from '../../kernel/position.js';

export const PROJECTION_STATES = ['idle', 'catching-up', 'live', 'stalled', 'stuck'] as const;

/**
 * `idle`: the projection is not started. `catching-up`: it folds events from before the subscription. `live`: it folds
 * each event as the subscription delivers it. `stalled`: the log has events that the subscription does not deliver; the
 * engine subscribes again. `stuck`: a fault keeps the projection from folding.
 */
export type ProjectionState = (typeof PROJECTION_STATES)[number];

/** The state and position of a projection, as its leader or a follower reports them. */
export interface Standing {
  readonly projection: string;
  /** The generation that serves; null while there is none. */
  readonly generation: number | null;
  /** The position up to which the generation that serves is folded. */
  readonly position: Position;
  /** The stored checkpoint of the generation that serves. A read that finds an earlier checkpoint is refused. */
  readonly checkpoint: Position;
  readonly state: ProjectionState;
  /** Why the projection is stuck or stalled, else null. */
  readonly fault: unknown;
  /** The reasons why the projection does not serve all accounts as it should, although it still folds. */
  readonly degraded: readonly string[];
  /** The events that changed nothing because the log holds them twice, in words for people; null while none was met. */
  readonly repeats: string | null;
  /** The number of events that this process folded since it became the leader; 0 in a follower. */
  readonly eventsFolded: number;
  readonly isFilling: boolean;
}

/** Returns the standing of a projection about which nothing is known yet. */
export function newStanding(projection: string, state: ProjectionState): Standing {
  return {
    projection,
    generation: null,
    position: START,
    checkpoint: START,
    state,
    fault: null,
    degraded: [],
    repeats: null,
    eventsFolded: 0,
    isFilling: false,
  };
}

/** News about a projection that an operator should know. */
export type ProjectionNews = { readonly projection: string } & (
  | { readonly kind: 'stuck'; readonly error: unknown }
  | { readonly kind: 'stalled'; readonly error: unknown }
  | { readonly kind: 'goes-on' }
  | { readonly kind: 'switched'; readonly generation: number }
  | { readonly kind: 'degraded'; readonly problem: string }
  | { readonly kind: 'repeats'; readonly repeats: string }
);

/** Says how many accounts are parked, in words for people. */
export function parkedAccounts(count: number): string {
  return `${count} ${count === 1 ? 'account is' : 'accounts are'} parked at an event that cannot be read`;
}

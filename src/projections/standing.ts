import { type Position, START } from '../kernel/position.js';

export const PROJECTION_STATES = ['idle', 'catching-up', 'live', 'stalled', 'stuck'] as const;

/**
 * `idle`: the projection is not started. `catching-up`: it folds events from before the subscription. `live`: it folds each
 * event as the subscription gives it. `stalled`: the log has events that the subscription does not give; the subscription is
 * begun again. `stuck`: a fault keeps the projection from folding.
 */
export type ProjectionState = (typeof PROJECTION_STATES)[number];

/** Where a projection stands, as whoever feeds or follows it says. */
export interface Standing {
  readonly projection: string;
  /** The generation that serves; null while there is none. */
  readonly generation: number | null;
  /** How far the generation that serves is. */
  readonly position: Position;
  /** The stored checkpoint of the generation that serves. A read that sees an earlier one is refused. */
  readonly checkpoint: Position;
  readonly state: ProjectionState;
  /** Why it is stuck or stalled, else null. */
  readonly fault: unknown;
  /** Why it does not serve every account as it should, though it goes on. */
  readonly degraded: readonly string[];
  /** Folded since the process began. */
  readonly eventsFolded: number;
  readonly isFilling: boolean;
}

/** The standing of a projection of which nothing is known yet. */
export function newStanding(projection: string, state: ProjectionState): Standing {
  return {
    projection,
    generation: null,
    position: START,
    checkpoint: START,
    state,
    fault: null,
    degraded: [],
    eventsFolded: 0,
    isFilling: false,
  };
}

/** What an operator should know of projections. */
export type ProjectionNews = { readonly projection: string } & (
  | { readonly kind: 'stuck'; readonly error: unknown }
  | { readonly kind: 'stalled'; readonly error: unknown }
  | { readonly kind: 'goes-on' }
  | { readonly kind: 'switched'; readonly generation: number }
  | { readonly kind: 'degraded'; readonly problem: string }
);

/** Says how many accounts are parked, in words for everybody. */
export function parkedAccounts(count: number): string {
  return `${count} ${count === 1 ? 'account is' : 'accounts are'} parked at an event that cannot be read`;
}

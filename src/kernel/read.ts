import type { Position } from './position.js';

/** The result of a query to a read model that had reached at least `position` in the log. */
export interface Read<Found> {
  readonly found: Found;
  readonly position: Position;
}

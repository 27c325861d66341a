import type { Position } from './position.js';

/** What a read model was asked for, with the log position that the answer reflects at least. */
export interface Read<Found> {
  readonly found: Found;
  readonly position: Position;
}

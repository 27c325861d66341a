import type { Position } from '../../kernel/position.js';
import type { Attempts } from './attempts.js';

/** What is stored of a generation besides its documents. Everything that must change in one step is in it. */
export interface GenerationRecord extends Attempts {
  /** The read model and the number of the generation. */
  readonly _id: string;
  readonly model: string;
  readonly version: number;
  readonly generation: number;
  readonly checkpoint: Position;
  /** A process fills it, and nobody else may see it. */
  readonly filling: boolean;
  /** Of the process whose turn it is to write, if it is anybody's. */
  readonly owner: string | null;
  /** Counts up while the owner lives. */
  readonly beat: number;
}

/** Which generation serves a read model in one version. */
export interface ServingRecord {
  readonly _id: string;
  readonly model: string;
  readonly version: number;
  readonly generation: number;
}

export function generationId(name: string, generation: number): string {
  return `${name}.${generation}`;
}

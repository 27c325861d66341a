import type { DomainEvent } from '../kernel/event.js';
import type { ReadModel } from '../read-store/read-store.js';
import type { Progress } from './progress.js';
import type { Projection } from './projection.js';
import type { ProjectorState } from './projector-state.js';

/** A projection that is kept up to date for as long as the process lives, by whichever thread. */
export interface RunningProjection {
  readonly projection: Projection<DomainEvent>;
  /** As this thread reads it. */
  readonly model: ReadModel;
  /** What a read of `model` made now reflects at least. */
  readonly progress: Progress;
  readonly state: ProjectorState;
  /** Why it is stuck, else null. */
  readonly fault: unknown;
  /** Written to the read model since the process began. */
  readonly eventsFolded: number;
  /** Resolves when it has caught up for the first time. */
  readonly caughtUp: Promise<void>;
}

/** Keeps projections up to date. */
export interface ProjectionDriver {
  readonly all: readonly RunningProjection[];

  /** Starts projecting in the background, and rebuilding what an earlier version left, until `stop`. */
  start(): void;

  /** Ends at a checkpoint, and gives up a rebuild. */
  stop(): Promise<void>;
}

import type { DomainEvent } from '../../kernel/event.js';
import type { Position } from '../../kernel/position.js';
import type { Projection } from './projection.js';
import { type OpenGeneration, RunningProjection } from './running-projection.js';
import type { ProjectionNews, Standing } from './standing.js';

/** Keeps projections up to date, in this thread or in a thread of its own. */
export interface ProjectionDriver {
  /** Starts the work in the background. The work goes on until `stop`. */
  start(): void;
  /** Stops the work. A leader saves its checkpoints first. */
  stop(): Promise<void>;
  /** Tells the driver that a reader waits for a position. */
  hurry(position: Position, timeoutMs: number): void;
  /** Tells the driver that a reader met damaged documents. */
  damaged(projection: string): void;
}

/** Makes a driver. The driver calls `report` with new standings, and `lose` when its thread ends unexpectedly. */
export type MakeDriver = (
  report: (standings: readonly Standing[]) => void,
  lose: (fault: unknown) => void,
) => ProjectionDriver;

/** All projections of the process. */
export class Projections {
  readonly all: readonly RunningProjection[];
  readonly #driver: ProjectionDriver;
  #isStarted = false;

  /**
   * @param open opens the namespace of a generation for reading.
   * @param tell is called with news that an operator should know.
   */
  constructor(
    projections: readonly Projection<DomainEvent>[],
    open: OpenGeneration,
    tell: (news: ProjectionNews) => void,
    makeDriver: MakeDriver,
  ) {
    this.all = projections.map(
      (projection) =>
        new RunningProjection(projection, open, tell, {
          waiting: (position, timeoutMs) => this.#driver.hurry(position, timeoutMs),
          damaged: () => this.#driver.damaged(projection.name),
        }),
    );
    this.#driver = makeDriver(
      (standings) => {
        for (const standing of standings) this.get(standing.projection).follow(standing);
      },
      (fault) => {
        for (const running of this.all) running.lose(fault);
      },
    );
  }

  /** @throws when there is no projection of that name. */
  get(name: string): RunningProjection {
    const found = this.all.find(({ projection }) => projection.name === name);
    if (!found) throw new Error(`there is no projection ${name}`);
    return found;
  }

  /** Starts the projections in the background. They run until `stop`. A second call does nothing. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#driver.start();
  }

  /** Resolves when all projections have caught up with the log at least once. */
  async caughtUp(): Promise<void> {
    await Promise.all(this.all.map((running) => running.caughtUp));
  }

  /** Stops the driver. A leader saves its checkpoints first. */
  async stop(): Promise<void> {
    if (this.#isStarted) await this.#driver.stop();
  }
}

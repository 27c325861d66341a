import type { ProjectionDriver, RunningProjection } from './running-projection.js';

/** Every projection of the process. */
export class Projections {
  constructor(private readonly driver: ProjectionDriver) {}

  get all(): readonly RunningProjection[] {
    return this.driver.all;
  }

  /** @throws when there is no projection of that name. */
  get(name: string): RunningProjection {
    const found = this.all.find(({ projection }) => projection.name === name);
    if (!found) throw new Error(`there is no projection ${name}`);
    return found;
  }

  /** Starts keeping them up to date in the background, until `stop`. */
  start(): void {
    this.driver.start();
  }

  /** Resolves when every projection has caught up with the log once. */
  async caughtUp(): Promise<void> {
    await Promise.all(this.all.map((running) => running.caughtUp));
  }

  /** Ends at a checkpoint. */
  async stop(): Promise<void> {
    await this.driver.stop();
  }
}

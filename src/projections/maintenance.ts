import type { DomainEvent } from '../kernel/event.js';
import type { Position } from '../kernel/position.js';
import type { FoldOptions } from './catch-up.js';
import { projectorInto, type Sources } from './fold-afresh.js';
import { refuseLostLog } from './lost-log.js';
import { named, type Projection } from './projection.js';
import { type Rebuilt, rebuild } from './rebuild.js';
import { type ProjectionStatus, statusOf } from './status.js';
import { type Verified, verify } from './verify.js';

/** What an operator can do with the projections, beside a running service or without one. */
export class Maintenance {
  constructor(
    private readonly projections: readonly Projection<DomainEvent>[],
    private readonly sources: Sources,
  ) {}

  get names(): string[] {
    return this.projections.map(({ name }) => name);
  }

  /**
   * Projects what the log holds now, or waits until the service has.
   * @returns the position that its read model reflects.
   * @throws whatever keeps it from that.
   */
  async catchUp(name: string): Promise<Position> {
    const projection = named(name, this.projections);
    const projector = projectorInto(
      this.sources.store.readModel(projection),
      projection,
      this.sources,
    );
    await projector.catchUp();
    return projector.progress.position;
  }

  /** How far a projection is, and what is in its way. @throws when there is none of that name. */
  async status(name: string): Promise<ProjectionStatus> {
    return statusOf(named(name, this.projections), this.sources);
  }

  /** To be asked before the first thing is done on a log. @throws when it is empty and a read model has folded events. */
  async refuseLostLog(): Promise<void> {
    await refuseLostLog(this.projections, this.sources);
  }

  /**
   * Fills a new generation, lets it serve and drops the one before.
   * @throws when there is no projection of that name, and where it would drop the last copy of a log that was lost.
   */
  async rebuild(name: string, options?: FoldOptions): Promise<Rebuilt> {
    const projection = named(name, this.projections);
    await refuseLostLog([projection], this.sources);
    return rebuild(projection, this.sources, options);
  }

  /** Compares what is stored with the log, and changes nothing. @throws when there is no projection of that name. */
  async verify(name: string, options?: FoldOptions): Promise<Verified> {
    return verify(named(name, this.projections), this.sources, options);
  }

  /** How much of the log is before a position, of 1. */
  async shareBefore(position: Position): Promise<number> {
    const { passed, ahead } = await this.sources.log.place(position);
    return ahead === 0 ? 1 : passed / (passed + ahead);
  }
}

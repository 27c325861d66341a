import type { DomainEvent } from '../kernel/event.js';
import type { Position } from '../kernel/position.js';
import { type FoldOptions, projectorInto, type Sources } from './fold-afresh.js';
import type { Projection } from './projection.js';
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
    const projection = this.#get(name);
    const projector = projectorInto(
      this.sources.store.readModel(projection),
      projection,
      this.sources,
    );
    await projector.catchUp();
    return projector.progress.position;
  }

  status(name: string): Promise<ProjectionStatus> {
    return statusOf(this.#get(name), this.sources);
  }

  rebuild(name: string, options?: FoldOptions): Promise<Rebuilt> {
    return rebuild(this.#get(name), this.sources, options);
  }

  verify(name: string, options?: FoldOptions): Promise<Verified> {
    return verify(this.#get(name), this.sources, options);
  }

  /** How much of the log is before a position, of 1. */
  async shareBefore(position: Position): Promise<number> {
    const { passed, ahead } = await this.sources.log.place(position);
    return ahead === 0 ? 1 : passed / (passed + ahead);
  }

  #get(name: string): Projection<DomainEvent> {
    const found = this.projections.find((projection) => projection.name === name);
    if (!found) throw new Error(`there is no projection ${name}`);
    return found;
  }
}

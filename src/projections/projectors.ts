import type { DomainEvent } from '../kernel/event.js';
import type { CatchUpElsewhere } from './catch-up.js';
import type { Sources } from './fold-afresh.js';
import { OutdatedProjections } from './outdated-projections.js';
import type { Projection } from './projection.js';
import type { ProjectionObserver } from './projection-observer.js';
import { Projector } from './projector.js';
import type { ProjectionDriver } from './running-projection.js';

/** Another thread that catches up the last projection while this one does the others. */
export interface Help {
  /** How many events it must be behind to be worth a thread. */
  readonly from: number;
  /** @throws what keeps it from that. */
  catchUp(projection: Projection<DomainEvent>, options: CatchUpElsewhere): Promise<void>;
}

/** Keeps projections up to date in this thread. */
export class Projectors implements ProjectionDriver {
  readonly all: readonly Projector[];
  readonly #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(
    projections: readonly Projection<DomainEvent>[],
    private readonly sources: Sources,
    private readonly observer: ProjectionObserver,
    private readonly help?: Help,
  ) {
    const { log, registry, store } = sources;
    this.all = projections.map(
      (projection) =>
        new Projector(projection, log, registry, store.readModel(projection), observer.tell),
    );
  }

  start(): void {
    const { signal } = this.#stopping;
    this.#running = Promise.all([
      this.#run(signal),
      new OutdatedProjections(this.all, this.sources, this.observer.onRebuild).rebuild(signal),
    ]);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /**
   * Lets them catch up one after another where this process does all of it: what each has read lives on while the
   * others have their turn. None waits for one that is stuck.
   */
  async #run(signal: AbortSignal): Promise<void> {
    const running: Promise<void>[] = [];
    const last = this.all.at(-1);
    const helped = last && this.#helped(last, signal);
    for (const projector of this.all) {
      if (projector === last) await helped;
      running.push(projector.run(signal));
      if (!projector.model.isShared) await projector.attempted;
    }
    await Promise.all(running);
  }

  async #helped(projector: Projector, signal: AbortSignal): Promise<void> {
    const { help } = this;
    if (!help || !(await this.#isFarBehind(projector, help.from))) return;
    await projector.goAlong(signal, (options) => help.catchUp(projector.projection, options));
  }

  async #isFarBehind({ model }: Projector, events: number): Promise<boolean> {
    try {
      return (await this.sources.log.countAfter(await model.checkpoint())) >= events;
    } catch {
      // Met again, and told, by the projector when it runs.
      return false;
    }
  }
}

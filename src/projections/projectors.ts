import type { DomainEvent } from '../kernel/event.js';
import { START } from '../kernel/position.js';
import type { Replay } from './catch-up.js';
import type { Sources } from './fold-afresh.js';
import { OutdatedProjections } from './outdated-projections.js';
import type { Projection } from './projection.js';
import type { ProjectionObserver } from './projection-observer.js';
import { Projector } from './projector.js';
import { rebuild } from './rebuild.js';
import type { ProjectionDriver } from './running-projection.js';

/** From how many events on a first replay is worth a generation beside, and a thread: some 2 s of folding. */
const LONG_REPLAY = 50_000;

export interface ReplayOptions {
  /** Events. Default 50,000. */
  readonly long?: number;
  /**
   * Replays the last projection in another thread while this one does the others. Absent: this one does.
   * @throws what keeps it from that.
   */
  readonly elsewhere?: (projection: Projection<DomainEvent>, options: Replay) => Promise<void>;
}

/** Keeps projections up to date in this thread. */
export class Projectors implements ProjectionDriver {
  readonly all: readonly Projector[];
  readonly #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #isLongLog: Promise<boolean> | undefined;

  constructor(
    projections: readonly Projection<DomainEvent>[],
    private readonly sources: Sources,
    private readonly observer: ProjectionObserver,
    private readonly replays: ReplayOptions = {},
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
    const { elsewhere } = this.replays;
    const last = this.all.at(-1);
    const replayed = elsewhere && last && this.#replay(last, signal, elsewhere);
    for (const projector of this.all) {
      await (projector === last && replayed ? replayed : this.#replay(projector, signal));
      running.push(projector.run(signal));
      if (!projector.model.isShared) await projector.attempted;
    }
    await Promise.all(running);
  }

  /**
   * Folds what was never folded in a generation beside, where it is much: one that nobody reads takes a tenth less.
   * Until it serves there is nothing to be read, and it is begun anew when it is broken off.
   */
  async #replay(
    projector: Projector,
    signal: AbortSignal,
    replay: NonNullable<ReplayOptions['elsewhere']> = this.#rebuild,
  ): Promise<void> {
    if (!(await this.#isLongReplay(projector))) return;
    await projector.awaitReplay(signal, (options) => replay(projector.projection, options));
  }

  readonly #rebuild = async (
    projection: Projection<DomainEvent>,
    options: Replay,
  ): Promise<void> => {
    await rebuild(projection, this.sources, { ...options, compare: false });
  };

  async #isLongReplay({ model }: Projector): Promise<boolean> {
    try {
      if (model.isShared || (await model.checkpoint()) !== START) return false;
      // Asked once, as a log on a server has to read to count.
      return await (this.#isLongLog ??= this.#hasManyEvents());
    } catch {
      // Met again, and told, by the projector when it runs.
      return false;
    }
  }

  async #hasManyEvents(): Promise<boolean> {
    const { long = LONG_REPLAY } = this.replays;
    return (await this.sources.log.countAfter(START, { limit: long })) >= long;
  }
}

import type { EventLog } from '../event-log/event-log.js';
import type { EventRegistry } from '../event-log/event-registry.js';
import type { DomainEvent } from '../kernel/event.js';
import type { ReadStore } from '../read-store/read-store.js';
import type { Sources } from './fold-afresh.js';
import { OutdatedProjections, type RebuildNews } from './outdated-projections.js';
import type { Projection } from './projection.js';
import { Projector } from './projector.js';
import type { ProjectorNews } from './projector-state.js';

/** Every projection of the process and what drives it. */
export class Projections {
  readonly #projectors: ReadonlyMap<string, Projector>;
  readonly #sources: Sources;
  readonly #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(
    projections: readonly Projection<DomainEvent>[],
    log: EventLog,
    registry: EventRegistry,
    store: ReadStore,
    tell: (news: ProjectorNews) => void,
    private readonly onRebuild: (news: RebuildNews) => void = () => undefined,
  ) {
    this.#sources = { log, registry, store };
    this.#projectors = new Map(
      projections.map((projection) => [
        projection.name,
        new Projector(projection, log, registry, store.readModel(projection), tell),
      ]),
    );
  }

  get all(): readonly Projector[] {
    return [...this.#projectors.values()];
  }

  /** @throws when there is no projection of that name. */
  get(name: string): Projector {
    const projector = this.#projectors.get(name);
    if (!projector) throw new Error(`there is no projection ${name}`);
    return projector;
  }

  /** Starts projecting in the background, and rebuilding what an earlier version left, until `stop`. */
  start(): void {
    const { signal } = this.#stopping;
    this.#running = Promise.all([
      this.#run(signal),
      new OutdatedProjections(this.all, this.#sources, this.onRebuild).rebuild(signal),
    ]);
  }

  /**
   * Lets them catch up one after another where this process does all of it: it has one thread, and what each has read
   * lives on while the others have their turn. None waits for one that is stuck.
   */
  async #run(signal: AbortSignal): Promise<void> {
    const running: Promise<void>[] = [];
    for (const projector of this.all) {
      running.push(projector.run(signal));
      if (!projector.model.isShared) await projector.attempted;
    }
    await Promise.all(running);
  }

  /** Resolves when every projection has caught up with the log once. */
  async caughtUp(): Promise<void> {
    await Promise.all(this.all.map((projector) => projector.caughtUp));
  }

  /** Ends at a checkpoint, and gives up a rebuild. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }
}

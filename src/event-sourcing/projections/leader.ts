import type { DomainEvent } from '../../kernel/event.js';
import { LinkedAbort } from '../../kernel/linked-abort.js';
import type { AwaitedPosition } from './awaited-position.js';
import { CatalogWatch, type Seen } from './catalog-watch.js';
import { CatchUp } from './catch-up.js';
import { Feed } from './feed.js';
import type { Generations } from './generations.js';
import { LogIdentity } from './log-identity.js';
import type { Projection } from './projection.js';
import { Projector } from './projector.js';
import type { LedProjection } from './led-projection.js';
import { LedProjections } from './led-projections.js';
import type { Sources } from './sources.js';
import type { Standing } from './standing.js';

/**
 * The leader, which feeds all projections of its process. One subscription feeds the projections that are up to date.
 * The others catch up together beside the subscription, and join it at the end of a batch. Once a new generation has
 * caught up, the new generation replaces the generation that serves.
 */
export class Leader {
  readonly #ledProjections: LedProjections;
  readonly #identity: LogIdentity;

  constructor(
    private readonly projections: readonly Projection<DomainEvent>[],
    private readonly sources: Sources,
    private readonly generations: Generations,
    private readonly awaited: AwaitedPosition,
    report: (standings: readonly Standing[]) => void,
  ) {
    this.#identity = new LogIdentity(sources.log);
    this.#ledProjections = new LedProjections(projections, generations, report);
  }

  /**
   * Feeds the projections until the signal aborts, then saves the checkpoint of each generation that serves.
   * @throws StalledError, and any other error that ends the feeding of all projections.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { sources, generations, awaited } = this;
    const over = new LinkedAbort(signal);
    const watch = new CatalogWatch(this.projections, sources.store, generations);
    const serving = await watch.begin();
    for (const led of this.#ledProjections.all) {
      const generation = serving.get(led.projection.name) ?? null;
      if (generation !== null) this.#takeOver(led, generation);
    }
    this.#ledProjections.tell();
    const tasks = [
      new Feed(this.#ledProjections, sources, this.#identity, awaited).run(over.signal),
      new CatchUp(this.#ledProjections, sources, generations, this.#identity).run(over.signal),
      watch.run(over.signal, (seen) => this.#look(seen)),
    ];
    try {
      await Promise.all(tasks);
    } finally {
      over.abort();
      over.unlink();
      await Promise.allSettled(tasks);
      await this.#end();
    }
  }

  /** Folds a projection anew, because a reader met damage in its documents. */
  damaged(projection: string): void {
    const led = this.#ledProjections.all.find((one) => one.projection.name === projection);
    if (led?.serving && led.damage === undefined) this.#ledProjections.refill(led);
  }

  #look({ generations, filling }: Seen): void {
    for (const led of this.#ledProjections.all) {
      const { name } = led.projection;
      led.isFilling = filling.has(name);
      const generation = generations.get(name) ?? null;
      const known = Math.max(led.serving?.generation ?? 0, led.behind?.projector.generation ?? 0);
      if (generation !== null && generation > known) this.#takeOver(led, generation);
    }
    this.#ledProjections.tell();
  }

  /** Begins the catch-up of the generation that the catalog names. Ends the filling of this leader, if there is one. */
  #takeOver(led: LedProjection, generation: number): void {
    led.abandon();
    const namespace = this.generations.open(led.projection, generation);
    led.behind = { projector: new Projector(led.projection, generation, namespace) };
    this.#ledProjections.recall(led);
  }

  async #end(): Promise<void> {
    for (const { serving, behind } of this.#ledProjections.all) {
      // The next leader folds again what this leader cannot save.
      await serving?.save(this.#identity).catch(() => undefined);
      await behind?.filling?.end().catch(() => undefined);
    }
  }
}

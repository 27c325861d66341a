import { setTimeout as delay } from 'node:timers/promises';
import type { DomainEvent } from '../kernel/event.js';
import { type Position, START } from '../kernel/position.js';
import type { NamespaceState, ReadStore } from '../read-store/read-store.js';
import { type Catalog, Generations, servingIn } from './generations.js';
import type { Projection } from './projection.js';

const LOOK_EVERY_MS = 1_000;
const LOOKS_BETWEEN_SWEEPS = 5;
/** How long other processes may read on what was retired. */
const RETIRED_FOR_MS = 10_000;

/** What a look at the store shows, by the names of projections. */
export interface Seen {
  /** The generation that serves. */
  readonly generations: ReadonlyMap<string, number | null>;
  /** Those for which a generation is filled beside it. */
  readonly filling: ReadonlySet<string>;
}

/** The catalog was there, and is gone. */
export class LostCatalogError extends Error {
  override readonly name = 'LostCatalogError';

  constructor() {
    super('the read store lost what it had, and is filled anew');
  }
}

/** Looks for generations that came to serve, and sweeps those that serve nobody any more. */
export class CatalogWatch {
  #catalog: Catalog = new Map();
  #counter: Position = START;
  readonly #retiredAt = new Map<string, number>();

  constructor(
    private readonly projections: readonly Projection<DomainEvent>[],
    private readonly store: ReadStore,
    private readonly generations: Generations,
  ) {}

  /** @returns the generation that serves, by the name of the projection. */
  async begin(): Promise<ReadonlyMap<string, number | null>> {
    await this.#read();
    return this.#serving();
  }

  /** Looks once a second until the signal aborts. @throws LostCatalogError */
  async run(signal: AbortSignal, look: (seen: Seen) => void): Promise<void> {
    for (let looks = 1; !signal.aborted; looks++) {
      try {
        await delay(LOOK_EVERY_MS, undefined, { signal });
        const states = await this.store.namespaces();
        look(await this.look(states));
        if (looks % LOOKS_BETWEEN_SWEEPS === 1) await this.#sweep(states);
      } catch (error) {
        // A store that does not answer is met by the next write, and reported there.
        if (error instanceof LostCatalogError) throw error;
      }
    }
  }

  /** Asks nothing unless the catalog has changed. @param states of all namespaces, as they are now. */
  async look(states: readonly NamespaceState[]): Promise<Seen> {
    const counter = Generations.counterIn(states);
    if (counter < this.#counter) throw new LostCatalogError();
    if (counter !== this.#counter) await this.#read();
    const isFilling = (projection: Projection<DomainEvent>): boolean =>
      this.generations.isFilling(projection, this.#catalog, states);
    const filling = this.projections.filter(isFilling).map(({ name }) => name);
    return { generations: this.#serving(), filling: new Set(filling) };
  }

  async #read(): Promise<void> {
    const { entries, counter } = await this.generations.catalog();
    this.#catalog = entries;
    this.#counter = counter;
  }

  #serving(): ReadonlyMap<string, number | null> {
    return new Map(
      this.projections.map((projection) => [projection.name, servingIn(this.#catalog, projection)]),
    );
  }

  #sweep(states: readonly NamespaceState[]): Promise<void> {
    return this.generations.sweep(this.projections, this.#catalog, states, (namespace) => {
      const now = performance.now();
      const since = this.#retiredAt.get(namespace) ?? now;
      this.#retiredAt.set(namespace, since);
      return now - since >= RETIRED_FOR_MS;
    });
  }
}

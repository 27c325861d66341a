import { setTimeout as delay } from 'node:timers/promises';
import type { DomainEvent } from '../../kernel/event.js';
import { type Position, START } from '../../kernel/position.js';
import type { NamespaceState, ReadStore } from '../read-store/read-store.js';
import { type Catalog, Generations, servingIn } from './generations.js';
import type { Projection } from './projection.js';

const LOOK_EVERY_MS = 1_000;
const LOOKS_BETWEEN_SWEEPS = 5;
/** How long other processes may still read a retired generation before it is dropped. */
const RETIRED_FOR_MS = 10_000;

/** The result of one look at the store. */
export interface Seen {
  /** The number of the generation that serves, by the name of the projection; null when no generation serves. */
  readonly generations: ReadonlyMap<string, number | null>;
  /** The names of the projections for which a new generation is filled. */
  readonly filling: ReadonlySet<string>;
}

/** The error for a catalog that the read store has lost. */
export class LostCatalogError extends Error {
  override readonly name = 'LostCatalogError';

  constructor() {
    super('the read store lost its data, and is filled again');
  }
}

/** Looks for generations that have begun to serve, and sweeps generations that nobody uses any more. */
export class CatalogWatch {
  #catalog: Catalog = new Map();
  #counter: Position = START;
  readonly #retiredAt = new Map<string, number>();

  constructor(
    private readonly projections: readonly Projection<DomainEvent>[],
    private readonly store: ReadStore,
    private readonly generations: Generations,
  ) {}

  /** Reads the catalog. @returns the generation that serves, by the name of the projection. */
  async begin(): Promise<ReadonlyMap<string, number | null>> {
    await this.#read();
    return this.#serving();
  }

  /** Looks at the store once a second, and calls `look` each time, until the signal aborts. @throws LostCatalogError */
  async run(signal: AbortSignal, look: (seen: Seen) => void): Promise<void> {
    for (let looks = 1; !signal.aborted; looks++) {
      try {
        await delay(LOOK_EVERY_MS, undefined, { signal });
        const states = await this.store.namespaces();
        look(await this.look(states));
        if (looks % LOOKS_BETWEEN_SWEEPS === 1) await this.#sweep(states);
      } catch (error) {
        // If the store does not answer, the next write fails too, and reports the error.
        if (error instanceof LostCatalogError) throw error;
      }
    }
  }

  /** Returns the result of a look. Reads the catalog only if it changed. @param states the states of all namespaces. */
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

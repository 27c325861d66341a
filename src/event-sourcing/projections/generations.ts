import { randomUUID } from 'node:crypto';
import type { DomainEvent } from '../../kernel/event.js';
import { type Position, START } from '../../kernel/position.js';
import {
  type Collections,
  DamagedNamespaceError,
  type Namespace,
  type NamespaceState,
  type ReadStore,
  StaleCheckpointError,
} from '../read-store/read-store.js';
import { CATALOG, fillLease, generationIn, namespaceOf } from './names.js';
import type { Projection } from './projection.js';
import { collectionsOf } from './stored-projection.js';

const COLLECTIONS: Collections = { versions: { indexes: {} } };
const COUNTER_DIGITS = 12;
const PAGE = 1_000;
/** How long the lease of a filling lasts without a renewal. Then another process may sweep the filling. */
const FILL_LEASE_MS = 15_000;

/** The entry of the catalog for one version of a projection. */
export interface CatalogEntry {
  /** The number of the generation that serves; null until one serves. */
  readonly serving: number | null;
  /** The number of the next generation. No number is used twice. */
  readonly next: number;
  /** The name of the lease whose holder feeds this version. */
  readonly lease: string;
}

export type Catalog = ReadonlyMap<string, CatalogEntry>;

/** A generation that is filled beside the one that serves. It is swept if the process that fills it ends too early. */
export interface Filling {
  readonly generation: number;
  /** The name of the namespace of the generation. */
  readonly name: string;
  readonly namespace: Namespace;
  /** Lets this generation serve in place of the previous generation, which is retired. */
  serve(): Promise<void>;
  /** Releases the lease that protects the filling from being swept. Call `end` on success and on failure. */
  end(): Promise<void>;
}

/**
 * The generations of all projections in a store. A catalog says which generations serve. The catalog changes as a whole
 * or not at all, by a compare-and-set of its checkpoint, which is a counter.
 */
export class Generations {
  /** The name under which this object holds leases. */
  readonly #holder = randomUUID();
  /** The projections, by `entryKey`, of whose documents the log creates some twice. */
  readonly #repeating = new Set<string>();

  constructor(
    private readonly store: ReadStore,
    /** The name of the lease of the process that feeds the projections. */
    private readonly lease: string,
  ) {}

  /** Reads the catalog and its counter. Drops a damaged catalog, so that everything is folded anew. */
  async catalog(): Promise<{ entries: Catalog; counter: Position }> {
    try {
      return await this.#catalogAsItIs();
    } catch (error) {
      if (!(error instanceof DamagedNamespaceError)) throw error;
      await this.store.drop(CATALOG);
      return { entries: new Map(), counter: START };
    }
  }

  /** @throws DamagedNamespaceError when the catalog is damaged. */
  #catalogAsItIs(): Promise<{ entries: Catalog; counter: Position }> {
    return this.#catalog().read(async (view) => {
      const rows = await view.scan<CatalogEntry>('versions', '', PAGE);
      const entries = new Map(rows.map(({ key, document }) => [key, document]));
      return { entries, counter: view.checkpoint };
    });
  }

  /** Returns the counter of the catalog from the states of all namespaces. Every change of the catalog raises it. */
  static counterIn(states: readonly NamespaceState[]): Position {
    return states.find(({ name }) => name === CATALOG)?.checkpoint ?? START;
  }

  /** Returns the number of the generation that serves; null when there is none. */
  async serving(projection: Projection<DomainEvent>): Promise<number | null> {
    return servingIn((await this.catalog()).entries, projection);
  }

  /** Opens the namespace of a generation that serves or once served. */
  open(projection: Projection<DomainEvent>, generation: number): Namespace {
    return this.store.namespace(nameOf(projection, generation), collectionsOf(projection));
  }

  /**
   * Notes that the log creates a document of a projection twice. Each later filling looks up every document that it
   * creates, which takes longer.
   */
  noteRepeats(projection: Projection<DomainEvent>): void {
    this.#repeating.add(entryKey(projection));
  }

  /** Begins an empty generation, which nobody else reads or writes. */
  async fill(projection: Projection<DomainEvent>): Promise<Filling> {
    const { next: generation } = await this.#change(projection, (entry) => ({
      ...entry,
      next: entry.next + 1,
    }));
    const name = nameOf(projection, generation);
    const lease = fillLease(name);
    await this.store.lease(lease, this.#holder, '0', FILL_LEASE_MS);
    let beats = 0;
    const beating = setInterval(() => {
      beats += 1;
      this.store.lease(lease, this.#holder, String(beats), FILL_LEASE_MS).catch(() => undefined);
    }, FILL_LEASE_MS / 3);
    // A catalog that was lost may have given the same number to an earlier generation.
    await this.store.drop(name);
    const isFilled = !this.#repeating.has(entryKey(projection));
    const namespace = this.store.namespace(name, collectionsOf(projection), { isFilled });
    return {
      generation,
      name,
      namespace,
      serve: async () => {
        await this.#change(projection, (entry) => ({ ...entry, serving: generation }));
      },
      end: async () => {
        clearInterval(beating);
        await this.store.release(lease, this.#holder);
      },
    };
  }

  /** Whether the projection has a generation that a process fills or has left unfinished. */
  isFilling(
    projection: Projection<DomainEvent>,
    catalog: Catalog,
    states: readonly NamespaceState[],
  ): boolean {
    return fillingsOf(projection, catalog, states).length > 0;
  }

  /**
   * Drops unused generations: retired generations, unfinished generations that no process fills, and generations of
   * another version that no process feeds.
   * @param isFree says whether a retired generation may be dropped. Other processes may still read it for a while.
   */
  async sweep(
    projections: readonly Projection<DomainEvent>[],
    entries: Catalog,
    states: readonly NamespaceState[],
    isFree: (namespace: string) => boolean,
  ): Promise<void> {
    for (const projection of projections) await this.sweepFillings(projection, entries, states);
    for (const { name } of states) {
      const found = generationIn(name);
      if (!found) continue;
      const current = projections.find((projection) => isOf(projection, found));
      if (!current) {
        const next = projections.find((projection) => projection.name === found.projection);
        // Until the current version serves, an operator may go back to the version before.
        if (next && servingIn(entries, next) === null) continue;
        await this.#sweepOther(name, keyOf(found), entries.get(keyOf(found))?.lease);
      } else if (found.generation < (servingIn(entries, current) ?? 0) && isFree(name)) {
        await this.store.drop(name);
      }
    }
  }

  /** Drops the unfinished generations of a projection that no process fills any more. */
  async sweepFillings(
    projection: Projection<DomainEvent>,
    entries: Catalog,
    states: readonly NamespaceState[],
  ): Promise<void> {
    for (const name of fillingsOf(projection, entries, states)) {
      const isUnused = (now: Catalog): boolean =>
        fillingsOf(projection, now, states).includes(name);
      await this.#dropUnlessHeld(name, fillLease(name), isUnused);
    }
  }

  async #sweepOther(name: string, key: string, lease: string | undefined): Promise<void> {
    if (lease === this.lease) return;
    const isUnused = (now: Catalog): boolean => now.get(key)?.lease === lease;
    await this.#dropUnlessHeld(name, lease ?? fillLease(name), isUnused);
  }

  /** @param isUnused is called while this object holds the lease. A filling that has finished serves by then. */
  async #dropUnlessHeld(
    name: string,
    lease: string,
    isUnused: (catalog: Catalog) => boolean,
  ): Promise<void> {
    const sweeper = `${this.#holder}.sweeper`;
    const { isHeld } = await this.store.lease(lease, sweeper, 'sweep', FILL_LEASE_MS);
    if (!isHeld) return;
    const { entries } = await this.catalog();
    if (isUnused(entries)) await this.store.drop(name);
    await this.store.release(lease, sweeper);
  }

  /** @returns the entry of the catalog before the change. */
  async #change(
    projection: Projection<DomainEvent>,
    change: (entry: CatalogEntry) => CatalogEntry,
  ): Promise<CatalogEntry> {
    const key = entryKey(projection);
    for (;;) {
      const { counter } = await this.catalog();
      const next = String(Number(counter) + 1).padStart(COUNTER_DIGITS, '0');
      let before: CatalogEntry = { serving: null, next: 1, lease: this.lease };
      try {
        await this.#catalog().write(counter, next, async (view) => {
          before = (await view.get<CatalogEntry>('versions', key)) ?? before;
          const document = { ...change({ ...before, lease: this.lease }) };
          return [{ collection: 'versions', key, document, isNew: false }];
        });
        return before;
      } catch (error) {
        if (!(error instanceof StaleCheckpointError)) throw error;
      }
    }
  }

  #catalog(): Namespace {
    return this.store.namespace(CATALOG, COLLECTIONS);
  }
}

/** Returns the number of the generation that serves according to the catalog; null when there is none. */
export function servingIn(catalog: Catalog, projection: Projection<DomainEvent>): number | null {
  return catalog.get(entryKey(projection))?.serving ?? null;
}

/** Returns the key under which the catalog has this version of the projection. */
function entryKey({ name, version }: Projection<DomainEvent>): string {
  return keyOf({ projection: name, version });
}

export function nameOf(
  { name: projection, version }: Projection<DomainEvent>,
  generation: number,
): string {
  return namespaceOf({ projection, version, generation });
}

function keyOf({ projection, version }: { projection: string; version: number }): string {
  return `${projection}.v${version}`;
}

/** Returns the namespaces of generations that never served: those being filled, and those left unfinished. */
function fillingsOf(
  projection: Projection<DomainEvent>,
  catalog: Catalog,
  states: readonly NamespaceState[],
): string[] {
  const serving = servingIn(catalog, projection) ?? 0;
  return states.flatMap(({ name }) => {
    const found = generationIn(name);
    return found && isOf(projection, found) && found.generation > serving ? [name] : [];
  });
}

function isOf(
  { name, version }: Projection<DomainEvent>,
  found: { projection: string; version: number },
): boolean {
  return found.projection === name && found.version === version;
}

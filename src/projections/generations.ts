import { randomUUID } from 'node:crypto';
import type { DomainEvent } from '../kernel/event.js';
import { type Position, START } from '../kernel/position.js';
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
/** A filling whose process shows no sign of life for so long is swept. */
const FILL_LEASE_MS = 15_000;

/** What the catalog says of a version of a projection. */
export interface CatalogEntry {
  /** The generation that serves; null before the first one does. */
  readonly serving: number | null;
  /** The number of the next generation. None is given twice. */
  readonly next: number;
  /** The lease of whoever feeds this version. */
  readonly lease: string;
}

export type Catalog = ReadonlyMap<string, CatalogEntry>;

/** A generation that is filled beside the one that serves. It is swept when its process ends without letting it serve. */
export interface Filling {
  readonly generation: number;
  /** The name of its namespace. */
  readonly name: string;
  readonly namespace: Namespace;
  /** Lets it serve in the place of the one before, which is retired. */
  serve(): Promise<void>;
  /** Ends the protection from being swept. To be called in any case. */
  end(): Promise<void>;
}

/**
 * The generations of the projections of a store. A catalog says which of them serve; it changes all or nothing, by the
 * compare-and-set of its checkpoint, which is a counter.
 */
export class Generations {
  /** Names this one among those that ask for leases. */
  readonly #holder = randomUUID();

  constructor(
    private readonly store: ReadStore,
    /** The lease of the process that feeds the projections. */
    private readonly lease: string,
  ) {}

  /** What the catalog says, and its counter. A catalog that is damaged is dropped, and everything is folded anew. */
  async catalog(): Promise<{ entries: Catalog; counter: Position }> {
    try {
      return await this.catalogAsItIs();
    } catch (error) {
      if (!(error instanceof DamagedNamespaceError)) throw error;
      await this.store.drop(CATALOG);
      return { entries: new Map(), counter: START };
    }
  }

  /** As `catalog`, and changes nothing. @throws DamagedNamespaceError when it is damaged. */
  catalogAsItIs(): Promise<{ entries: Catalog; counter: Position }> {
    return this.#catalog().read(async (view) => {
      const rows = await view.scan<CatalogEntry>('versions', '', PAGE);
      const entries = new Map(rows.map(({ key, document }) => [key, document]));
      return { entries, counter: view.checkpoint };
    });
  }

  /** The counter of the catalog among states of namespaces: it changes with every change of the catalog. */
  static counterIn(states: readonly NamespaceState[]): Position {
    return states.find(({ name }) => name === CATALOG)?.checkpoint ?? START;
  }

  /** The number of the generation that serves; null when there is none. */
  async serving(projection: Projection<DomainEvent>): Promise<number | null> {
    return servingIn((await this.catalog()).entries, projection);
  }

  /** The namespace of a generation that serves, or came to serve. */
  open(projection: Projection<DomainEvent>, generation: number): Namespace {
    return this.store.namespace(nameOf(projection, generation), collectionsOf(projection));
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
    // A catalog that was lost gave the number before.
    await this.store.drop(name);
    const namespace = this.store.namespace(name, collectionsOf(projection), { isFilled: true });
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

  /** Whether a generation is being filled, by any process, or was left by one that ended. */
  isFilling(
    projection: Projection<DomainEvent>,
    catalog: Catalog,
    states: readonly NamespaceState[],
  ): boolean {
    return fillingsOf(projection, catalog, states).length > 0;
  }

  /**
   * Drops what serves nobody any more: generations that were retired, that were left unfinished, and those of another
   * version when nobody feeds that any more.
   * @param isFree says whether a retired generation may go: other processes may still read it for a while.
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
        // The release before may be gone back to until this one serves.
        if (next && servingIn(entries, next) === null) continue;
        await this.#sweepOther(name, keyOf(found), entries.get(keyOf(found))?.lease);
      } else if (found.generation < (servingIn(entries, current) ?? 0) && isFree(name)) {
        await this.store.drop(name);
      }
    }
  }

  /** Drops what an unfinished filling of a projection left, when nobody goes on with it. */
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

  /** @param isUnused asked once the lease is held: a filling comes to serve before its lease ends. */
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

  /** @returns what the catalog said before. */
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

/** The number of the generation that serves, as the catalog says; null when there is none. */
export function servingIn(catalog: Catalog, projection: Projection<DomainEvent>): number | null {
  return catalog.get(entryKey(projection))?.serving ?? null;
}

/** The key of a version of a projection in the catalog. */
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

/** The namespaces of generations that are being filled, or were left unfinished: none of them ever served. */
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

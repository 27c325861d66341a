import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { Unavailable } from '../../kernel/errors.js';
import type { Position } from '../../kernel/position.js';
import {
  type Document,
  type DocumentWrite,
  type KeptDocument,
  type NextGeneration,
  type Part,
  type Range,
  type ReadModel,
  type ReadModelDefinition,
  type ReadView,
  type ScannedDocument,
  StaleCheckpointError,
} from '../read-store.js';
import type { Budget } from './budget.js';
import type { Generation } from './generation.js';
import { guarded } from './guarded.js';
import { Mutex } from './mutex.js';
import type { Role } from './role.js';
import { Snapshots } from './snapshots.js';
import type { SqliteCollection } from './sqlite-collection.js';

/** How long a read waits for indexes that another thread makes: one sort of each. */
const INDEXES_WITHIN_MS = 5_000;
const LOOK_FOR_INDEXES_EVERY_MS = 20;
/** What a read model that serves must ask of its store. */
export interface Succession {
  /** The number of the generation that is to serve, if there is one. */
  serving(): number | undefined;
  open(): Generation;
  /** Drops what a generation replaces that has caught up. */
  dropReplaced(generation: number): void;
}

/** A read model in one generation at a time. */
export class SqliteReadModel implements ReadModel {
  /** One service at a time has the directory; the command line beside it stays for a moment only. */
  readonly isShared = false;
  /** Snapshots, writes and the change of generations share one connection, and so must take turns. */
  readonly #turns = new Mutex();
  readonly #snapshots: Snapshots;
  #generation: Generation;

  /** @param succession absent for a generation that does not serve. */
  constructor(
    first: Generation,
    private readonly definition: ReadModelDefinition,
    private readonly role: Role,
    private readonly succession?: Succession,
  ) {
    this.#generation = first;
    this.#snapshots = new Snapshots(this.#turns, {
      prepare: () => this.#index(),
      begin: () => guarded(() => this.#generation.beginSnapshot()),
      end: () => guarded(() => this.#generation.endSnapshot()),
      charactersRead: () => this.#generation.charactersRead(),
    });
  }

  get generation(): number {
    return this.#generation.number;
  }

  get version(): number {
    return this.#generation.version;
  }

  async checkpoint(): Promise<Position> {
    return guarded(() => this.#generation.checkpoint());
  }

  get<Kept extends object = Document>(
    collection: string,
    key: string,
  ): Promise<KeptDocument<Kept> | undefined> {
    return this.#read(collection, (kept) => kept.get<Kept>(key));
  }

  getMany(collection: string, keys: readonly string[]): Promise<Map<string, KeptDocument>> {
    return this.#read(collection, (kept) => {
      const found = new Map<string, KeptDocument>();
      for (const key of keys) {
        const one = kept.get<Document>(key);
        if (one) found.set(key, one);
      }
      return found;
    });
  }

  async find<Kept extends object = Document>(collection: string, range: Range): Promise<Kept[]> {
    return (await this.findPart<Kept>(collection, range, Infinity)).documents;
  }

  findPart<Kept extends object = Document>(
    collection: string,
    range: Range,
    bytes: number,
  ): Promise<Part<Kept>> {
    return this.#findPart<Kept>(collection, range, bytes);
  }

  scan(collection: string, after: string, limit: number): Promise<ScannedDocument[]> {
    return this.#read(collection, (kept) => kept.scan(after, limit));
  }

  /**
   * Single reads, and what another thread commits, do not wait for it: neither comes between, as nothing but reads of
   * its view is awaited in it.
   */
  async snapshot<Result>(read: (view: ReadView) => Promise<Result>): Promise<Result> {
    await this.#indexesMade();
    return this.#snapshots.run((budget) => read(this.#within(budget)));
  }

  async write(writes: readonly DocumentWrite[], from: Position, to: Position): Promise<void> {
    const write = () => guarded(() => this.#generation.write(writes, from, to));
    if (!(await this.#turns.run(write))) throw new StaleCheckpointError(this.definition.name);
  }

  async takeTurn(): Promise<boolean> {
    return true;
  }

  async giveUpTurn(): Promise<void> {
    // There is never another who waits for it.
  }

  async finishReplay(signal?: AbortSignal): Promise<void> {
    await this.#turns.run(() => this.#index(signal));
    if (signal?.aborted) return;
    guarded(() => this.succession?.dropReplaced(this.generation));
  }

  async isSuperseded(): Promise<boolean> {
    return guarded(() => (this.succession?.serving() ?? 0) > this.generation);
  }

  async successor(): Promise<NextGeneration | undefined> {
    const { succession } = this;
    if (!succession || !(await this.isSuperseded())) return undefined;
    const next = guarded(() => succession.open());
    return {
      model: new SqliteReadModel(next, this.definition, this.role),
      serve: () =>
        this.#turns.run(() => {
          const last = this.#generation;
          this.#generation = next;
          last.close();
        }),
      discard: async () => next.close(),
    };
  }

  async close(): Promise<void> {
    this.#generation.close();
  }

  /** What reads within a budget see. The command line, which reads all there is, scans. */
  #within(budget: Budget | undefined): ReadView {
    const findPart = <Kept extends object>(collection: string, range: Range, bytes: number) =>
      this.#findPart<Kept>(collection, range, bytes, budget);
    return {
      checkpoint: () => this.checkpoint(),
      get: (collection, key) => this.get(collection, key),
      getMany: (collection, keys) => this.getMany(collection, keys),
      scan: (collection, after, limit) => this.scan(collection, after, limit),
      find: async <Kept extends object>(collection: string, range: Range) =>
        (await findPart<Kept>(collection, range, Infinity)).documents,
      findPart,
    };
  }

  #findPart<Kept extends object>(
    collection: string,
    range: Range,
    bytes: number,
    budget?: Budget,
  ): Promise<Part<Kept>> {
    return this.#read(collection, (kept) => kept.findPart<Kept>(range, bytes, budget));
  }

  /** Within a turn. A step may take seconds, and others than the one who waits for it have a turn of the event loop. */
  async #index(signal?: AbortSignal): Promise<void> {
    const steps = this.#generation.indexing();
    while (!signal?.aborted && guarded(() => steps.next()).done !== true) await nextTurn();
  }

  /**
   * Who only reads leaves it to who folds to make indexes, who puts it off in a long replay until somebody has waited in
   * vain for what is folded.
   * @throws Unavailable when they are not there in time.
   */
  async #indexesMade(): Promise<void> {
    if (this.role !== 'reads') return;
    const deadline = performance.now() + INDEXES_WITHIN_MS;
    while (!guarded(() => this.#generation.hasIndexes())) {
      if (performance.now() > deadline) {
        const { name } = this.definition;
        throw new Unavailable('read store', `the indexes of ${name} are still to be made`);
      }
      await delay(LOOK_FOR_INDEXES_EVERY_MS);
    }
  }

  /**
   * Nothing is awaited between the look at the generation and the reading of it, as it may change. Only the collection
   * that is read gets its indexes: a counter that is looked up in a long replay must not cost the others their speed.
   */
  async #read<Result>(
    collection: string,
    read: (kept: SqliteCollection) => Result,
  ): Promise<Result> {
    while (!this.#generation.collection(collection).isIndexed) {
      await this.#indexesMade();
      await this.#turns.run(() =>
        guarded(() => {
          this.#generation.collection(collection).index();
        }),
      );
    }
    return guarded(() => read(this.#generation.collection(collection)));
  }
}

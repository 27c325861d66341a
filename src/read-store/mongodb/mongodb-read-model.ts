import { Unavailable } from '../../kernel/errors.js';
import { inTime } from '../../kernel/in-time.js';
import { type Position, START } from '../../kernel/position.js';
import type {
  Document,
  DocumentWrite,
  KeptDocument,
  NextGeneration,
  Part,
  Range,
  ReadModel,
  ReadView,
  ScannedDocument,
} from '../read-store.js';
import { type Generation, GenerationGone } from './generation.js';
import { type Connected, guarded } from './guarded.js';

/** A batch is written in many calls. */
const LONGEST_WRITE_MS = 60_000;
/** What a read waits for a read model that is being opened; whoever keeps that up to date waits for it. */
const OPENED_WITHIN_MS = 10_000;

/** What a read model that serves must ask of its store. */
export interface Succession {
  /** The number of the generation that is to serve, if there is one. */
  serving(): Promise<number | undefined>;
  /** The generation that is to serve; made when there is none. */
  open(): Promise<Generation>;
  /** Ends the service of other versions. */
  endOthers(signal?: AbortSignal): Promise<void>;
}

/** A read model in one generation at a time, which is opened when something is asked of it. */
export class MongoDbReadModel implements ReadModel {
  readonly isShared = true;
  #opening: Promise<Generation> | undefined;
  #opened: Generation | undefined;
  /** The checkpoint as whoever keeps this up to date knows it. */
  #reached: Position = START;

  private constructor(
    private readonly succession: Succession | undefined,
    private readonly connected: Connected,
  ) {}

  static thatServes(succession: Succession, connected: Connected): MongoDbReadModel {
    return new MongoDbReadModel(succession, connected);
  }

  static of(generation: Generation, connected: Connected): MongoDbReadModel {
    const model = new MongoDbReadModel(undefined, connected);
    model.#goTo(generation);
    return model;
  }

  /** 0 while it was not opened. */
  get generation(): number {
    return this.#opened?.number ?? 0;
  }

  /** 0 while it was not opened. */
  get version(): number {
    return this.#opened?.version ?? 0;
  }

  async checkpoint(): Promise<Position> {
    this.#reached = await this.#with((generation) => generation.checkpoint());
    return this.#reached;
  }

  get<Kept extends object = Document>(
    collection: string,
    key: string,
  ): Promise<KeptDocument<Kept> | undefined> {
    return this.snapshot((view) => view.get<Kept>(collection, key));
  }

  getMany(collection: string, keys: readonly string[]): Promise<Map<string, KeptDocument>> {
    return this.snapshot((view) => view.getMany(collection, keys));
  }

  find<Kept extends object = Document>(collection: string, range: Range): Promise<Kept[]> {
    return this.snapshot((view) => view.find<Kept>(collection, range));
  }

  findPart<Kept extends object = Document>(
    collection: string,
    range: Range,
    bytes: number,
  ): Promise<Part<Kept>> {
    return this.snapshot((view) => view.findPart<Kept>(collection, range, bytes));
  }

  scan(collection: string, after: string, limit: number): Promise<ScannedDocument[]> {
    return this.snapshot((view) => view.scan(collection, after, limit));
  }

  /** Refuses what has lost its documents, until whoever keeps it up to date knows: readers wait for what that says. */
  async snapshot<Result>(read: (view: ReadView) => Promise<Result>): Promise<Result> {
    const reached = this.#reached;
    const late = (): Unavailable => new Unavailable('read store', 'it is still being opened');
    await guarded(() => inTime(this.#open(), OPENED_WITHIN_MS, late));
    return this.#with((generation) =>
      generation.read(async (view) => {
        const checkpoint = await view.checkpoint();
        if (checkpoint < reached) {
          throw new Unavailable('read store', `its checkpoint went back from ${reached}`);
        }
        return read(view);
      }),
    );
  }

  async write(writes: readonly DocumentWrite[], from: Position, to: Position): Promise<void> {
    const { connected } = this;
    const write = (generation: Generation) => generation.write(writes, from, to, connected);
    await this.#with(write, LONGEST_WRITE_MS);
    this.#reached = to;
  }

  takeTurn(): Promise<boolean> {
    return this.#with(({ turn }) => turn.take());
  }

  async giveUpTurn(): Promise<void> {
    // What is being filled stays with the process that fills it.
    const turn = this.succession && this.#opened?.turn;
    // Also by a store that is being closed, to which nothing is connected anew.
    if (turn) await guarded(() => turn.giveUp());
  }

  async finishReplay(signal?: AbortSignal): Promise<void> {
    await guarded(async () => this.succession?.endOthers(signal));
  }

  async isSuperseded(): Promise<boolean> {
    const { succession } = this;
    if (!succession) return false;
    return this.#with(async ({ number }) => ((await succession.serving()) ?? 0) > number);
  }

  async successor(): Promise<NextGeneration | undefined> {
    const { succession } = this;
    if (!succession || !(await this.isSuperseded())) return undefined;
    const next = await guarded(() => succession.open());
    return {
      model: MongoDbReadModel.of(next, this.connected),
      // Reads that have begun go on in the generation before, which stays for longer than they take.
      serve: async () => this.#goTo(next),
      discard: async () => undefined,
    };
  }

  async #with<Result>(
    work: (generation: Generation) => Promise<Result>,
    withinMs?: number,
  ): Promise<Result> {
    const generation = await guarded(() => this.#open());
    try {
      return await this.connected(() => work(generation), withinMs);
    } catch (error) {
      // Whoever took it away took it for left, or everything with it: what serves now is opened next time.
      if (error instanceof GenerationGone && this.succession && this.#opened === generation) {
        this.#opening = this.#opened = undefined;
      }
      throw error;
    }
  }

  #open(): Promise<Generation> {
    this.#opening ??= this.#openServing();
    return this.#opening;
  }

  async #openServing(): Promise<Generation> {
    try {
      if (!this.succession) throw new Error('a generation that does not serve was opened by name');
      const generation = await this.succession.open();
      this.#opened = generation;
      return generation;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  #goTo(generation: Generation): void {
    this.#opened = generation;
    this.#opening = Promise.resolve(generation);
  }
}

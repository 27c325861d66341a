import type Database from 'better-sqlite3';
import { Unavailable } from '../../kernel/errors.js';
import type { Position } from '../../kernel/position.js';
import {
  type Document,
  type DocumentWrite,
  type KeptDocument,
  type Range,
  type ReadModel,
  type ReadModelDefinition,
  type ReadView,
  StaleCheckpointError,
} from '../read-store.js';
import { Generation } from './generation.js';
import { Mutex } from './mutex.js';
import type { SqliteCollection } from './sqlite-collection.js';

/** The generation of a read model that serves. */
export class SqliteReadModel implements ReadModel {
  readonly #generation: Generation;
  readonly #begin: Database.Statement;
  readonly #end: Database.Statement;
  /** Snapshots and writes share one connection, and so must take turns. */
  readonly #turns = new Mutex();

  constructor(
    private readonly db: Database.Database,
    private readonly definition: ReadModelDefinition,
  ) {
    this.#generation = new Generation(db, definition);
    this.#begin = db.prepare('BEGIN');
    this.#end = db.prepare('COMMIT');
  }

  async checkpoint(): Promise<Position> {
    return guarded(() => this.#generation.checkpoint());
  }

  async get<Kept extends object = Document>(
    collection: string,
    key: string,
  ): Promise<KeptDocument<Kept> | undefined> {
    const kept = await this.#indexed(collection);
    return guarded(() => kept.get<Kept>(key));
  }

  async getMany(collection: string, keys: readonly string[]): Promise<Map<string, KeptDocument>> {
    const kept = await this.#indexed(collection);
    return guarded(() => {
      const found = new Map<string, KeptDocument>();
      for (const key of keys) {
        const one = kept.get<Document>(key);
        if (one) found.set(key, one);
      }
      return found;
    });
  }

  async find<Kept extends object = Document>(collection: string, range: Range): Promise<Kept[]> {
    const kept = await this.#indexed(collection);
    return guarded(() => kept.find<Kept>(range));
  }

  async snapshot<Result>(read: (view: ReadView) => Promise<Result>): Promise<Result> {
    // Indexes are made before, as a snapshot must not write.
    await this.finishReplay();
    return this.#turns.run(async () => {
      guarded(() => this.#begin.run());
      try {
        return await read(this);
      } finally {
        guarded(() => this.#end.run());
      }
    });
  }

  async write(writes: readonly DocumentWrite[], from: Position, to: Position): Promise<void> {
    const write = () => guarded(() => this.#generation.write(writes, from, to));
    if (!(await this.#turns.run(write))) throw new StaleCheckpointError(this.definition.name);
  }

  async finishReplay(): Promise<void> {
    for (const name of this.#generation.collections.keys()) await this.#indexed(name);
  }

  async close(): Promise<void> {
    this.db.close();
  }

  /** A collection that can be looked up and replaced in. */
  async #indexed(name: string): Promise<SqliteCollection> {
    const collection = this.#generation.collection(name);
    if (!collection.isIndexed) {
      await this.#turns.run(() =>
        guarded(() => {
          collection.index();
        }),
      );
    }
    return collection;
  }
}

function guarded<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new Unavailable('read store', error);
  }
}

import type Database from 'better-sqlite3';
import { Unavailable } from '../../kernel/errors.js';
import { type Position, START } from '../../kernel/position.js';
import {
  type Document,
  type DocumentWrite,
  type KeptDocument,
  type Range,
  type ReadModel,
  type ReadModelDefinition,
  StaleCheckpointError,
} from '../read-store.js';
import { SqliteCollection } from './sqlite-collection.js';

/** One generation of a read model: its collections and its checkpoint. */
export class SqliteReadModel implements ReadModel {
  readonly #name: string;
  readonly #generation: number;
  readonly #collections: ReadonlyMap<string, SqliteCollection>;
  readonly #checkpoint: Database.Statement<[string, number], string>;
  readonly #moveCheckpoint: Database.Statement<[string, string, number, string]>;

  constructor(
    private readonly db: Database.Database,
    definition: ReadModelDefinition,
  ) {
    this.#name = definition.name;
    this.#generation = servingGeneration(db, definition) ?? newGeneration(db, definition);
    this.#collections = new Map(
      Object.entries(definition.collections).map(([collection, kept]) => [
        collection,
        new SqliteCollection(db, `${tablePrefix(this.#name, this.#generation)}${collection}`, kept),
      ]),
    );
    this.#checkpoint = db
      .prepare<[string, number], string>(
        'SELECT checkpoint FROM generations WHERE read_model = ? AND generation = ?',
      )
      .pluck();
    this.#moveCheckpoint = db.prepare(
      'UPDATE generations SET checkpoint = ? WHERE read_model = ? AND generation = ? AND checkpoint = ?',
    );
  }

  async checkpoint(): Promise<Position> {
    return guarded(() => this.#checkpoint.get(this.#name, this.#generation) ?? START);
  }

  async get<Kept extends object = Document>(
    collection: string,
    key: string,
  ): Promise<KeptDocument<Kept> | undefined> {
    const kept = this.#collection(collection);
    return guarded(() => kept.get<Kept>(key));
  }

  async getMany(collection: string, keys: readonly string[]): Promise<Map<string, KeptDocument>> {
    const kept = this.#collection(collection);
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
    const kept = this.#collection(collection);
    return guarded(() => kept.find<Kept>(range));
  }

  async write(writes: readonly DocumentWrite[], from: Position, to: Position): Promise<void> {
    const work = this.db.transaction(() => {
      const moved = this.#moveCheckpoint.run(to, this.#name, this.#generation, from).changes;
      if (moved === 0) throw new StaleCheckpointError(this.#name);
      for (const write of writes) this.#collection(write.collection).write(write);
    });
    guarded(() => work.immediate());
  }

  async finishReplay(): Promise<void> {
    guarded(() => {
      for (const collection of this.#collections.values()) collection.index();
    });
  }

  #collection(name: string): SqliteCollection {
    const collection = this.#collections.get(name);
    if (!collection) throw new Error(`${this.#name} has no collection ${name}`);
    return collection;
  }
}

interface Generation {
  readonly generation: number;
  readonly version: number;
}

function latestGeneration(db: Database.Database, name: string): Generation | undefined {
  return db
    .prepare<[string], Generation>(
      'SELECT generation, version FROM generations WHERE read_model = ? ORDER BY generation DESC LIMIT 1',
    )
    .get(name);
}

/** The generation that can be served, which takes no lock to find; undefined when there is none in this version. */
function servingGeneration(
  db: Database.Database,
  { name, version }: ReadModelDefinition,
): number | undefined {
  const latest = latestGeneration(db, name);
  return latest?.version === version ? latest.generation : undefined;
}

/** Makes an empty generation; one in another version is dropped. */
function newGeneration(db: Database.Database, definition: ReadModelDefinition): number {
  const { name, version } = definition;
  const make = db.transaction((): number => {
    const latest = latestGeneration(db, name);
    // Another process may have made it since.
    if (latest?.version === version) return latest.generation;
    if (latest) dropGeneration(db, name, latest.generation);
    const generation = (latest?.generation ?? 0) + 1;
    db.prepare(
      'INSERT INTO generations (read_model, generation, version, checkpoint) VALUES (?, ?, ?, ?)',
    ).run(name, generation, version, START);
    return generation;
  });
  return make.immediate();
}

function dropGeneration(db: Database.Database, name: string, generation: number): void {
  const tables = db
    .prepare<[string], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB ?",
    )
    .pluck()
    .all(`${tablePrefix(name, generation)}*`);
  for (const table of tables) db.exec(`DROP TABLE "${table}"`);
  db.prepare('DELETE FROM generations WHERE read_model = ? AND generation = ?').run(
    name,
    generation,
  );
}

function tablePrefix(readModel: string, generation: number): string {
  return `${readModel}/${generation}/`;
}

function guarded<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof StaleCheckpointError) throw error;
    throw new Unavailable('read store', error);
  }
}

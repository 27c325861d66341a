import type Database from 'better-sqlite3';
import { type Position, START } from '../../kernel/position.js';
import type { DocumentWrite, ReadModelDefinition } from '../read-store.js';
import { makeDurable } from './connection.js';
import { Dictionary } from './dictionary.js';
import { SqliteCollection } from './sqlite-collection.js';

const CHECKPOINT_SCHEMA = `
CREATE TABLE IF NOT EXISTS checkpoint (
  only     INTEGER PRIMARY KEY CHECK (only = 1),
  position TEXT    NOT NULL
) STRICT;
`;
const FIRST_CHECKPOINT = `INSERT INTO checkpoint VALUES (1, '${START}') ON CONFLICT DO NOTHING`;

type Writes = ReadonlyMap<SqliteCollection, readonly DocumentWrite[]>;

export interface GenerationName {
  readonly number: number;
  /** That began it. */
  readonly version: number;
}

/** One generation of a read model in its database: the collections and the checkpoint. */
export class Generation {
  readonly number: number;
  readonly version: number;
  readonly #collections: ReadonlyMap<string, SqliteCollection>;
  readonly #dictionary: Dictionary;
  readonly #checkpoint: Database.Statement<[], Position>;
  readonly #write: Database.Transaction<(writes: Writes, from: Position, to: Position) => boolean>;
  readonly #begin: Database.Statement;
  readonly #end: Database.Statement;

  constructor(
    { number, version }: GenerationName,
    private readonly db: Database.Database,
    private readonly definition: ReadModelDefinition,
  ) {
    this.number = number;
    this.version = version;
    db.exec(CHECKPOINT_SCHEMA);
    this.#dictionary = new Dictionary(db);
    this.#collections = new Map(
      Object.entries(definition.collections).map(([name, collection]) => [
        name,
        new SqliteCollection(db, name, collection, this.#dictionary),
      ]),
    );
    this.#checkpoint = db.prepare<[], Position>('SELECT position FROM checkpoint').pluck();
    // Another thread may be writing just now, and must be waited for by whoever writes.
    if (this.#checkpoint.get() === undefined) db.exec(FIRST_CHECKPOINT);
    const move = db.prepare<[Position, Position]>(
      'UPDATE checkpoint SET position = ? WHERE position = ?',
    );
    this.#write = db.transaction((writes, from, to) => {
      if (move.run(to, from).changes === 0) return false;
      for (const [collection, written] of writes) collection.write(written);
      return true;
    });
    this.#begin = db.prepare('BEGIN');
    this.#end = db.prepare('COMMIT');
  }

  /** @throws when the read model has no collection of that name. */
  collection(name: string): SqliteCollection {
    const collection = this.#collections.get(name);
    if (!collection) throw new Error(`${this.definition.name} has no collection ${name}`);
    return collection;
  }

  /** Whether all collections have their indexes, whoever made them. */
  hasIndexes(): boolean {
    return [...this.#collections.values()].every((one) => one.isIndexed || one.hasIndexes());
  }

  /** Makes the indexes that are missing, one at a step. Not to be done within a snapshot. */
  *indexing(): Generator<void, void> {
    for (const collection of this.#collections.values()) {
      if (collection.isIndexed) continue;
      yield;
      yield* collection.indexing();
    }
  }

  /** Of all documents that were read of it so far. */
  charactersRead(): number {
    let characters = 0;
    for (const collection of this.#collections.values()) characters += collection.charactersRead;
    return characters;
  }

  /** Lets what is read until `endSnapshot` be of one state. */
  beginSnapshot(): void {
    this.#begin.run();
  }

  endSnapshot(): void {
    this.#end.run();
  }

  checkpoint(): Position {
    return this.#checkpoint.get() ?? START;
  }

  /** @returns false when the checkpoint was no longer `from`; nothing was written then. */
  write(writes: readonly DocumentWrite[], from: Position, to: Position): boolean {
    const grouped = this.#grouped(writes);
    for (const [collection, written] of grouped) {
      if (collection.needsIndexesFor(written)) collection.index();
    }
    try {
      return this.#write.immediate(grouped, from, to);
    } catch (error) {
      this.#dictionary.forget();
      throw error;
    }
  }

  /** Lets one that was filled alone outlast a loss of power, before it serves. */
  makeDurable(): void {
    makeDurable(this.db);
  }

  close(): void {
    this.db.close();
  }

  #grouped(writes: readonly DocumentWrite[]): Writes {
    const grouped = new Map<SqliteCollection, DocumentWrite[]>();
    for (const write of writes) {
      const collection = this.collection(write.collection);
      const others = grouped.get(collection);
      if (others) others.push(write);
      else grouped.set(collection, [write]);
    }
    return grouped;
  }
}

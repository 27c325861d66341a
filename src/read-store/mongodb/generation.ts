import type { Collection, Db, IndexDescriptionInfo } from 'mongodb';
import { Unavailable } from '../../kernel/errors.js';
import type { Position } from '../../kernel/position.js';
import {
  type CollectionDefinition,
  type DocumentWrite,
  type ReadModelDefinition,
  StaleCheckpointError,
} from '../read-store.js';
import type { LeftAttempt } from './attempts.js';
import { writeBatch } from './batch-writer.js';
import type { GenerationRecord } from './generation-record.js';
import type { Connected } from './guarded.js';
import { keyOf } from './index-range.js';
import { MongoDbView, type OpenCollection } from './mongodb-view.js';
import { Overtaken, untilNotOvertaken } from './overtaken.js';
import type { StoredDocument } from './stored-document.js';
import { Turn } from './turn.js';
import type { UnchangedSince } from './unchanged-since.js';

/** That every collection has by itself. */
const ID_INDEX = '_id_';

/** The generation is not in the store any more. */
export class GenerationGone extends Unavailable {
  constructor(id: string) {
    super('read store', `the read model ${id} was dropped`);
  }
}

export interface GenerationName {
  readonly id: string;
  readonly number: number;
  /** That began it. */
  readonly version: number;
}

/** How this process is told from others, and what it saw of them. */
export interface Sharing {
  readonly owner: string;
  readonly changes: UnchangedSince;
  /** How many connections broke so far. */
  readonly breaks: () => number;
}

/** One generation of a read model: its record, and a collection of the server for each of its collections. */
export class Generation {
  readonly number: number;
  readonly version: number;
  readonly turn: Turn;
  readonly #id: string;
  readonly #changes: UnchangedSince;
  readonly #breaks: () => number;
  readonly #left: LeftAttempt = { attempt: undefined };
  readonly #collections: ReadonlyMap<string, OpenCollection>;

  constructor(
    { id, number, version }: GenerationName,
    db: Db,
    private readonly records: Collection<GenerationRecord>,
    private readonly definition: ReadModelDefinition,
    { owner, changes, breaks }: Sharing,
  ) {
    this.number = number;
    this.version = version;
    this.#id = id;
    this.#changes = changes;
    this.#breaks = breaks;
    this.turn = new Turn(id, records, owner, changes, this.#left);
    this.#collections = new Map(
      Object.entries(definition.collections).map(([name, collection]) => [
        name,
        { definition: collection, stored: db.collection<StoredDocument>(collectionName(id, name)) },
      ]),
    );
  }

  /** Makes the indexes that are missing. */
  async index(): Promise<void> {
    const all = [...this.#collections.values()].map(async ({ stored, definition }) => {
      // One by one: FerretDB breaks off when it is asked for two that are there.
      for (const { name, key } of indexesOf(definition))
        await stored.createIndex(key, { name }, {});
    });
    await Promise.all(all);
  }

  async checkpoint(): Promise<Position> {
    return (await this.#record()).checkpoint;
  }

  /**
   * Runs reads on one state of the generation, and again from the start when that changed too fast, or may not have been
   * there to the end.
   */
  read<Result>(work: (view: MongoDbView) => Promise<Result>): Promise<Result> {
    return untilNotOvertaken(async () => {
      const began = performance.now();
      const breaks = this.#breaks();
      const record = await this.#record();
      const result = await work(new MongoDbView(record, began, (name) => this.#collection(name)));
      if (this.#breaks() !== breaks) throw new Overtaken();
      return result;
    });
  }

  /** @throws StaleCheckpointError */
  async write(
    writes: readonly DocumentWrite[],
    from: Position,
    to: Position,
    connected: Connected,
  ): Promise<void> {
    const written = {
      records: this.records,
      id: this.#id,
      changes: this.#changes,
      left: this.#left,
      connected,
    };
    const byCollection = new Map<OpenCollection, DocumentWrite[]>();
    for (const write of writes) {
      const collection = this.#collection(write.collection);
      const its = byCollection.get(collection);
      if (its) its.push(write);
      else byCollection.set(collection, [write]);
    }
    if (!(await writeBatch(written, byCollection, from, to))) {
      throw new StaleCheckpointError(this.definition.name);
    }
  }

  async #record(): Promise<GenerationRecord> {
    const record = await this.records.findOne({ _id: this.#id });
    if (!record) throw new GenerationGone(this.#id);
    return record;
  }

  #collection(name: string): OpenCollection {
    const collection = this.#collections.get(name);
    if (!collection) throw new Error(`${this.definition.name} has no collection ${name}`);
    return collection;
  }
}

/** Whether a generation has the collections and indexes that it would be given today, and no others. */
export async function isKeptAs(
  db: Db,
  id: string,
  { collections }: ReadModelDefinition,
): Promise<boolean> {
  const all = await db.listCollections({}, { nameOnly: true }).toArray();
  const kept = all.map(({ name }) => name).filter((name) => name.startsWith(`${id}.`));
  const made = new Map(
    Object.entries(collections).map(([name, one]) => [collectionName(id, name), indexesOf(one)]),
  );
  if (kept.length !== made.size) return false;
  for (const name of kept) {
    const indexes = await db.collection(name).indexes();
    const named = indexes.filter((index) => index.name !== ID_INDEX);
    if (listed(named) !== listed(made.get(name) ?? [])) return false;
  }
  return true;
}

function listed(indexes: readonly IndexDescriptionInfo[]): string {
  return indexes
    .map(({ name, key }) => JSON.stringify([name, Object.entries(key)]))
    .sort()
    .join();
}

/** What the collections of a generation are called, and those of no other. */
export function collectionName(id: string, collection: string): string {
  return `${id}.${collection}`;
}

function indexesOf({ indexes }: CollectionDefinition) {
  const named = Object.entries(indexes).map(([name, fields]) => ({
    name,
    key: Object.fromEntries(keyOf(fields).map((field) => [field, 1 as const])),
  }));
  // For the few documents that a batch under way has changed.
  return [...named, { name: 'attempt', key: { attempt: 1 as const } }];
}

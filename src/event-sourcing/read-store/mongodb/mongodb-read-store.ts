import { inTime } from '../../waiting/in-time.js';
import type { Collections, Lease, Namespace, NamespaceState, ReadStore } from '../read-store.js';
import { Connection } from './connection.js';
import { FIRST } from './documents.js';
import { Leases } from './lease.js';
import { MongoDbNamespace } from './mongodb-namespace.js';
import {
  collectionName,
  forget,
  incarnationOf,
  type NamespaceRecord,
  type Records,
} from './namespace-record.js';
import { isNoCollection } from './server-errors.js';

/** How long `ping` waits when it can say why no server was found before. */
const KNOWN_FAULT_MS = 500;
/** More rows than a look finds, so that all of them come in one answer. */
const ROWS_OF_A_LOOK = 10_000;

/** The records, and the names of the collections that have their first document. */
interface Look {
  readonly records: readonly NamespaceRecord[];
  readonly whole: ReadonlySet<string>;
}

/** Read models in a MongoDB database that several processes share. */
export class MongoDbReadStore implements ReadStore {
  readonly isShared = true;
  private readonly database: Connection;
  readonly #records: Records;
  readonly #leases: Leases;
  /** The collections of the records that were seen last, as the server names them. */
  #known: readonly string[] = [];

  /** Connects at the first call. @throws when the driver refuses the URI, without its text. */
  constructor(uri: string) {
    this.database = new Connection(uri);
    const { db, call } = this.database;
    this.#records = db.collection('namespaces');
    this.#leases = new Leases(db, call);
  }

  namespace(name: string, collections: Collections): Namespace {
    return new MongoDbNamespace(name, collections, this.#records, this.database);
  }

  async namespaces(): Promise<NamespaceState[]> {
    const whole = await this.#removeLost();
    return whole.map(({ _id: name, checkpoint, serves }) => ({
      name,
      checkpoint,
      serves,
      isLocked: false,
      isTorn: false,
    }));
  }

  async drop(name: string): Promise<void> {
    const record = await this.database.call(() => this.#records.findOne({ _id: name }));
    if (record) await forget(this.database, this.#records, record);
    await this.#dropOrphans();
  }

  lease(name: string, holder: string, progress: string, forMs: number): Promise<Lease> {
    return this.#leases.ask(name, holder, progress, forMs);
  }

  async release(name: string, holder: string): Promise<void> {
    await this.#leases.release(name, holder);
  }

  async ping(): Promise<void> {
    const { call, db, fault } = this.database;
    const answer = call(() => db.command({ ping: 1 }));
    // A probe waits for less long than the driver looks for a server.
    await (fault ? inTime(answer, KNOWN_FAULT_MS, () => fault) : answer);
  }

  async close(): Promise<void> {
    await this.database.close();
  }

  /** Removes each namespace of which somebody dropped a collection, and returns the others. */
  async #removeLost(): Promise<readonly NamespaceRecord[]> {
    for (;;) {
      const asked = new Set(this.#known);
      const { records, whole } = await this.#look(this.#known);
      this.#known = records.flatMap(collectionsOf);
      if (!this.#known.every((collection) => asked.has(collection))) continue;
      const isLost = (record: NamespaceRecord): boolean =>
        !collectionsOf(record).every((collection) => whole.has(collection));
      for (const lost of records.filter(isLost)) await forget(this.database, this.#records, lost);
      return records.filter((record) => !isLost(record));
    }
  }

  /** Reads all records, and looks for the first document of each collection, in one command. */
  async #look(collections: readonly string[]): Promise<Look> {
    const { cursor } = await this.database.ask<{
      readonly cursor: { readonly firstBatch: readonly (NamespaceRecord | { of: string })[] };
    }>({
      aggregate: this.#records.collectionName,
      pipeline: collections.map((coll) => ({
        $unionWith: { coll, pipeline: [{ $match: { _id: FIRST } }, { $set: { of: coll } }] },
      })),
      cursor: { batchSize: ROWS_OF_A_LOOK },
      readConcern: { level: 'majority' },
    });
    const records: NamespaceRecord[] = [];
    const whole = new Set<string>();
    for (const row of cursor.firstBatch) {
      if ('of' in row) whole.add(row.of);
      else records.push(row);
    }
    return { records, whole };
  }

  /**
   * Drops collections of dropped namespaces, and those that a late writer created again. It lists
   * the collections before the records, because a namespace has its record before a collection.
   */
  async #dropOrphans(): Promise<void> {
    const { db, call } = this.database;
    const options = { nameOnly: true, batchSize: 1_000 } as const;
    const collections = await call(() => db.listCollections({}, options).toArray());
    const records = await call(() => this.#records.find().toArray());
    const living = new Set(records.map(({ incarnation }) => incarnation));
    for (const { name } of collections) {
      const incarnation = incarnationOf(name);
      if (incarnation === undefined || living.has(incarnation)) continue;
      await call(() => db.dropCollection(name)).catch((error: unknown) => {
        if (!isNoCollection(error)) throw error;
      });
    }
  }
}

/** Returns the names on the server of the collections of a namespace. */
function collectionsOf({ _id, incarnation, collections }: NamespaceRecord): string[] {
  return (collections ?? []).map((collection) => collectionName(_id, collection, incarnation));
}

import { inTime } from '../../waiting/in-time.js';
import type { Collections, Lease, Namespace, NamespaceState, ReadStore } from '../read-store.js';
import { Connection } from './connection.js';
import { Leases } from './lease.js';
import { MongoDbNamespace } from './mongodb-namespace.js';
import {
  collectionsIn,
  forget,
  incarnationOf,
  type NamespaceRecord,
  type Records,
} from './namespace-record.js';
import { isNoCollection } from './server-errors.js';

/** How long `ping` waits when it can say why no server was found before. */
const KNOWN_FAULT_MS = 500;
/** How often collections are listed at most. A process looks at the namespaces once a second. */
const LIST_EVERY_MS = 900;

/** Read models in a MongoDB database that several processes share. */
export class MongoDbReadStore implements ReadStore {
  readonly isShared = true;
  private readonly database: Connection;
  readonly #records: Records;
  readonly #leases: Leases;
  #listAt = 0;

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
    const records = await this.database.call(() => this.#records.find().toArray());
    const whole = await this.#removeLost(records);
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

  /**
   * Removes each namespace of which somebody dropped a collection, and gives the others. It lists
   * collections after records, because a namespace has collections before its record names them.
   */
  async #removeLost(records: readonly NamespaceRecord[]): Promise<readonly NamespaceRecord[]> {
    if (performance.now() < this.#listAt) return records;
    this.#listAt = performance.now() + LIST_EVERY_MS;
    const ids = new Set((await collectionsIn(this.database)).values());
    const isLost = ({ collections }: NamespaceRecord): boolean =>
      collections?.some((id) => !ids.has(id)) === true;
    for (const lost of records.filter(isLost)) await forget(this.database, this.#records, lost);
    return records.filter((record) => !isLost(record));
  }

  /**
   * Drops collections of dropped namespaces, and those that a late writer created again. It lists
   * the collections before the records, because a namespace has its record before a collection.
   */
  async #dropOrphans(): Promise<void> {
    const { db, call } = this.database;
    const collections = await collectionsIn(this.database);
    const records = await call(() => this.#records.find().toArray());
    const living = new Set(records.map(({ incarnation }) => incarnation));
    for (const name of collections.keys()) {
      const incarnation = incarnationOf(name);
      if (incarnation === undefined || living.has(incarnation)) continue;
      await call(() => db.dropCollection(name)).catch((error: unknown) => {
        if (!isNoCollection(error)) throw error;
      });
    }
  }
}

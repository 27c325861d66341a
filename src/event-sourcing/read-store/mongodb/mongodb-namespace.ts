import { randomBytes } from 'node:crypto';
import type { ClientSession } from 'mongodb';
import { type Position, START } from '../../../kernel/position.js';
import {
  type Change,
  type Collections,
  DroppedNamespaceError,
  type Keys,
  type Namespace,
  type ReadOptions,
  StaleCheckpointError,
  type View,
} from '../read-store.js';
import type { Connection } from './connection.js';
import { FIRST, indexesOf, type OpenCollection, type Stored, writesOf } from './documents.js';
import {
  collectionName,
  forget,
  idOf,
  type NamespaceRecord,
  type Records,
  whenUnlocked,
} from './namespace-record.js';
import { MongoDbView } from './mongodb-view.js';
import { isCollection, isDuplicateKey, isLostState, isNoIndex } from './server-errors.js';
import { lookupsOf, type SentAhead, sentAhead, type WithAhead } from './sent-ahead.js';
import { Snapshot } from './snapshot.js';

/** How often a read begins, when the server no longer has the state that it looked at. */
const BEGINNINGS = 3;

/** A namespace whose documents are MongoDB's own, and whose batches are transactions. */
export class MongoDbNamespace implements Namespace {
  /** The session of the last transaction, for the next one. */
  #session: ClientSession | undefined;
  /** The record that was seen last; undefined before the namespace exists. */
  #seen: NamespaceRecord | undefined;

  constructor(
    private readonly name: string,
    private readonly collections: Collections,
    private readonly records: Records,
    private readonly connection: Connection,
  ) {}

  async checkpoint(): Promise<Position> {
    this.#seen = await this.#readRecord();
    return this.#seen?.checkpoint ?? START;
  }

  read<Result>(
    read: (view: View) => Promise<Result>,
    { ahead }: ReadOptions = {},
  ): Promise<Result> {
    return this.#read(async (view, record) => {
      const result = await read(view);
      // The collections of a dropped namespace look empty, even at a moment at which they were not.
      if (record && view.foundNothing) this.#remember(await this.#readRecord());
      return result;
    }, ahead);
  }

  async write(from: Position, to: Position, changes: readonly Change[]): Promise<void> {
    const record = await this.#readRecordAt(from);
    // A session has one transaction at a time, so no other write or `close` may touch it.
    const session = this.#takeSession() ?? this.connection.startSession();
    try {
      const taken = await this.#take(record ?? (await this.#begin()), session);
      await this.#commit(taken, to, changes, session);
      this.#seen = { ...taken, checkpoint: to };
    } catch (error) {
      end(session);
      // A namespace that was dropped meanwhile is another matter than one that others write to.
      if (error instanceof StaleCheckpointError) this.#remember(await this.#readRecord());
      throw error;
    }
    end(this.#session);
    this.#session = session;
  }

  async serve(): Promise<void> {
    const { incarnation } = (await this.#readRecord()) ?? (await this.#begin());
    const served = { $set: { serves: true } };
    const { matchedCount } = await this.connection.call(() =>
      this.records.updateOne({ _id: this.name, incarnation }, served),
    );
    if (matchedCount !== 1) throw new DroppedNamespaceError(this.name);
  }

  /** A namespace in MongoDB has its indexes from the beginning, and every batch is durable. */
  async settle(): Promise<void> {}

  async close(): Promise<void> {
    end(this.#session);
    this.#session = undefined;
  }

  /** Takes the last transaction's session. All sessions end when the connection is given up. */
  #takeSession(): ClientSession | undefined {
    const session = this.#session;
    this.#session = undefined;
    return session?.hasEnded === true ? undefined : session;
  }

  async #read<Result>(
    read: (view: MongoDbView, record: NamespaceRecord | undefined) => Promise<Result>,
    ahead: Keys = {},
  ): Promise<Result> {
    for (let beginning = 1; ; beginning++) {
      const snapshot = new Snapshot(this.connection);
      try {
        const { record, sent } = await this.#beginWith(snapshot, ahead);
        const checkpoint = record?.checkpoint ?? START;
        const view = new MongoDbView(checkpoint, snapshot, this.#openIn(record), sent);
        return await read(view, record).catch((error: unknown) => {
          if (record && isNoIndex(error)) return this.#removeLost(record);
          throw error;
        });
      } catch (error) {
        if (!isLostState(error) || beginning === BEGINNINGS) throw error;
      } finally {
        snapshot.end();
      }
    }
  }

  /** Reads the record, and with it in one command the documents that are known to be needed. */
  async #beginWith(
    snapshot: Snapshot,
    ahead: Keys,
  ): Promise<{ readonly record: NamespaceRecord | undefined; readonly sent: SentAhead }> {
    // The collections are there once the checkpoint has moved.
    const wanted = this.#seen && this.#seen.checkpoint !== START ? ahead : {};
    const lookups = lookupsOf(wanted, this.#openIn(this.#seen));
    const [record] = await snapshot.documents<NamespaceRecord & WithAhead>({
      aggregate: this.records.collectionName,
      pipeline: [{ $match: { _id: this.name } }, ...lookups],
      cursor: {},
    });
    this.#remember(record);
    if (!record) return { record, sent: new Map() };
    return { record, sent: sentAhead(wanted, record) ?? (await this.#removeLost(record)) };
  }

  /** Removes a namespace of which somebody dropped a part. @throws DroppedNamespaceError */
  async #removeLost(record: NamespaceRecord): Promise<never> {
    await forget(this.connection, this.records, record);
    throw new DroppedNamespaceError(this.name);
  }

  /**
   * Returns the record of a namespace at a checkpoint. The record as the last write left it is not
   * read again: the transaction changes nothing if the record has changed since.
   * @throws StaleCheckpointError when the checkpoint is another one.
   */
  async #readRecordAt(from: Position): Promise<NamespaceRecord | undefined> {
    if (this.#seen?.checkpoint === from) return this.#seen;
    const record = await this.#readRecord();
    this.#remember(record);
    if ((record?.checkpoint ?? START) !== from) throw new StaleCheckpointError(this.name);
    return record;
  }

  /** Creates the record. @throws StaleCheckpointError when another process created it first. */
  async #begin(): Promise<NamespaceRecord> {
    const incarnation = randomBytes(6).toString('hex');
    const begun = { checkpoint: START, serves: false, writer: null, collections: null };
    const record = { _id: this.name, incarnation, ...begun };
    try {
      await this.connection.call(() => this.records.insertOne(record));
    } catch (error) {
      throw isDuplicateKey(error) ? new StaleCheckpointError(this.name) : error;
    }
    this.#remember(record);
    return record;
  }

  /**
   * Makes this process the writer of the namespace, and makes collections and indexes, because a
   * transaction cannot make all of them.
   * @throws StaleCheckpointError when another process wrote since `readRecord` was read.
   */
  async #take(record: NamespaceRecord, session: ClientSession): Promise<NamespaceRecord> {
    const taken = { ...record, writer: idOf(session) };
    if (record.writer === taken.writer) return taken;
    const change = { $set: { writer: taken.writer } };
    const own = { writeConcern: { w: 1 } } as const;
    const changed = await whenUnlocked(this.connection, record, (options) =>
      this.records.updateOne(stateOf(record), change, { ...options, ...own }),
    );
    if (changed.matchedCount !== 1) throw new StaleCheckpointError(this.name);
    return record.collections ? taken : this.#make(taken);
  }

  /** Makes collections and names them in the record. @throws StaleCheckpointError as `#take`. */
  async #make(record: NamespaceRecord): Promise<NamespaceRecord> {
    const { call, db } = this.connection;
    const open = this.#openIn(record);
    const collections = Object.keys(this.collections);
    for (const { documents, definition } of collections.map(open)) {
      await call(() => db.createCollection(documents.collectionName)).catch((error: unknown) => {
        if (!isCollection(error)) throw error;
      });
      const indexes = indexesOf(definition);
      if (indexes.length > 0) await call(() => documents.createIndexes(indexes));
      await call(() => documents.replaceOne({ _id: FIRST }, {}, { upsert: true }));
    }
    const made = { $set: { collections } };
    const { matchedCount } = await call(() => this.records.updateOne(stateOf(record), made));
    if (matchedCount !== 1) throw new StaleCheckpointError(this.name);
    return { ...record, collections };
  }

  async #commit(
    record: NamespaceRecord,
    to: Position,
    changes: readonly Change[],
    session: ClientSession,
  ): Promise<void> {
    const writes = writesOf(changes, this.#openIn(record));
    const move = { q: stateOf(record), u: { $set: { checkpoint: to } } };
    const moving = { update: this.records.collectionName, updates: [move] };
    await this.connection.inTransaction(session, async () => {
      const moved = await this.connection.write(moving, session);
      if (moved !== 1) throw new StaleCheckpointError(this.name);
      for (const command of writes) await this.connection.write(command, session);
    });
  }

  async #readRecord(): Promise<NamespaceRecord | undefined> {
    const { cursor } = await this.connection.ask<{
      readonly cursor: { readonly firstBatch: readonly NamespaceRecord[] };
    }>({
      find: this.records.collectionName,
      filter: { _id: this.name },
      limit: 1,
      singleBatch: true,
      readConcern: { level: 'majority' },
    });
    return cursor.firstBatch[0];
  }

  /** @throws DroppedNamespaceError after a drop of the namespace until a call of `checkpoint`. */
  #remember(record: NamespaceRecord | undefined): void {
    if (this.#seen && record?.incarnation !== this.#seen.incarnation) {
      throw new DroppedNamespaceError(this.name);
    }
    this.#seen = record;
  }

  /** @returns a function that opens a collection, and throws for one that the namespace lacks. */
  #openIn(record: NamespaceRecord | undefined): (collection: string) => OpenCollection {
    const opened = new Map<string, OpenCollection>();
    return (collection) => {
      const known = opened.get(collection);
      if (known) return known;
      const definition = this.collections[collection];
      if (!definition) throw new Error(`${this.name} has no collection ${collection}`);
      const name = collectionName(this.name, collection, record?.incarnation ?? '');
      const open = { definition, documents: this.connection.db.collection<Stored>(name) };
      opened.set(collection, open);
      return open;
    };
  }
}

/** Ends a session. The driver tells the server, which may be away. */
function end(session: ClientSession | undefined): void {
  session?.endSession().catch(() => undefined);
}

/** Returns a filter that finds a record unless its namespace was written since it was read. */
function stateOf({ _id, incarnation, checkpoint, writer }: NamespaceRecord) {
  return { _id, incarnation, checkpoint, writer };
}

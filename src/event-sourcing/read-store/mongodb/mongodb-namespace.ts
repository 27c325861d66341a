import { randomBytes } from 'node:crypto';
import type { ClientSession } from 'mongodb';
import { Unavailable } from '../../../kernel/errors.js';
import { type Position, START } from '../../../kernel/position.js';
import {
  type Change,
  type Collections,
  type Namespace,
  StaleCheckpointError,
  type View,
} from '../read-store.js';
import { batchOf, send } from './batch.js';
import { type Connection, type Moment, momentOf, readIn } from './connection.js';
import { Floor } from './floor.js';
import { MongoDbView, type RowsRead } from './mongodb-view.js';
import { indexesOf, type OpenCollection, type Row } from './rows.js';
import { Sweep } from './sweep.js';
import {
  begin,
  isSame,
  type NamespaceRecord,
  type Records,
  stateOf,
  takeTerm,
} from './namespace-record.js';

/** How long a read is repeated when rows that it needed may have been swept. */
const LONGEST_READ_MS = 5_000;

/** The term that this process holds: its right to write until a write fails. */
interface HeldTerm {
  readonly record: NamespaceRecord;
  readonly since: Moment;
  readonly floor: Floor;
  readonly sweep: Sweep;
}

export interface Retention {
  /** How long old versions of documents are kept for readers. */
  readonly keptForMs: number;
  readonly sweptEveryMs: number;
}

/** A namespace that stores each version of a document as a row, by the rules of ADR 21. */
export class MongoDbNamespace implements Namespace {
  /** Each version of a document is a row, so no index of the server has a key once. */
  readonly refusesRepeats = false;
  #held: HeldTerm | undefined;
  /** The incarnation that was seen last; empty before the namespace exists. */
  #incarnation = '';
  /** The incarnation of the namespace whose indexes this process has made; empty before the first. */
  #indexed = '';
  #isFilled: boolean;

  constructor(
    private readonly name: string,
    private readonly collections: Collections,
    isFilled: boolean,
    private readonly records: Records,
    private readonly connection: Connection,
    private readonly retention: Retention,
  ) {
    this.#isFilled = isFilled;
  }

  async checkpoint(): Promise<Position> {
    const record = await this.#record();
    this.#incarnation = record?.incarnation ?? '';
    return record?.checkpoint ?? START;
  }

  async read<Result>(read: (view: View) => Promise<Result>): Promise<Result> {
    const until = performance.now() + LONGEST_READ_MS;
    for (;;) {
      const outcome = await this.connection.inSession((session) => this.#readOnce(read, session));
      if (outcome) return outcome.result;
      if (performance.now() > until) {
        throw new Unavailable('read store', 'documents were swept faster than they could be read');
      }
    }
  }

  async write(
    from: Position,
    to: Position,
    fold: (view: View) => Promise<readonly Change[]>,
  ): Promise<void> {
    // Whatever goes wrong from here on, the next batch takes a new term.
    const held = this.#held?.record.checkpoint === from ? this.#held : undefined;
    this.#held = undefined;
    this.#held = await this.connection.inSession(async (session) => {
      const term = held ?? (await this.#takeTerm(from, session));
      return this.#writeBatch(term, to, fold, session);
    }, held?.since);
  }

  /** Makes later writes keep old versions of documents for readers. */
  async settle(): Promise<void> {
    this.#isFilled = false;
    this.#held = undefined;
  }

  /** Forgets the term. Nothing else is open for a namespace on a server. */
  async close(): Promise<void> {
    this.#held = undefined;
  }

  /** @returns undefined when the read must be repeated, because rows that it needed may have been swept. */
  async #readOnce<Result>(
    read: (view: View) => Promise<Result>,
    session: ClientSession,
  ): Promise<{ readonly result: Result } | undefined> {
    const record = (await this.#record(session)) ?? this.#nothing();
    this.#remember(record);
    const view = new MongoDbView(record, session, this.#openIn(record), this.connection.call);
    const [outcome] = await Promise.allSettled([read(view)]);
    if (outcome.status === 'rejected' && outcome.reason instanceof Unavailable) {
      throw outcome.reason;
    }
    if (record.checkpoint !== START) {
      const now = await this.#record(session);
      if (now?.incarnation !== record.incarnation || now.floor > record.checkpoint)
        return undefined;
    }
    if (outcome.status === 'rejected') throw outcome.reason;
    return { result: outcome.value };
  }

  /** @throws StaleCheckpointError when the checkpoint is not `from`, or another writer took a term first. */
  async #takeTerm(from: Position, session: ClientSession): Promise<HeldTerm> {
    const { call } = this.connection;
    let record = await this.#record(session);
    this.#remember(record ?? this.#nothing());
    if (!record && from === START) {
      const incarnation = randomBytes(6).toString('hex');
      record = await call(() => begin(this.records, this.name, incarnation, session));
    } else if (record?.checkpoint === from) {
      const found = record;
      record = await call(() => takeTerm(this.records, found, session));
    } else {
      record = undefined;
    }
    if (!record) throw new StaleCheckpointError(this.name);
    this.#remember(record);
    const open = this.#openIn(record);
    const opened = Object.keys(this.collections).map(open);
    if (this.#indexed !== record.incarnation) {
      const index = ({ definition, rows }: OpenCollection) =>
        rows.createIndexes(indexesOf(definition));
      await Promise.all(opened.map((one) => call(() => index(one))));
      this.#indexed = record.incarnation;
    }
    const floor = new Floor(this.#isFilled ? 0 : this.retention.keptForMs);
    const sweep = new Sweep(opened, record, this.retention.sweptEveryMs, call);
    return { record, since: momentOf(session), floor, sweep };
  }

  async #writeBatch(
    held: HeldTerm,
    to: Position,
    fold: (view: View) => Promise<readonly Change[]>,
    session: ClientSession,
  ): Promise<HeldTerm> {
    const { record, floor, sweep } = held;
    const { call } = this.connection;
    const open = this.#openIn(record);
    const read: RowsRead = new Map();
    const note = (collection: string, key: string, id: string | null): void => {
      const its = read.get(collection) ?? new Map<string, string | null>();
      read.set(collection, its.set(key, id));
    };
    const changes = await fold(new MongoDbView(record, session, open, call, note));
    const batch = batchOf(changes, read, to, record.term, open);
    if (batch.size > 0) {
      // An overtaken writer must not end any row, because the row may be part of what the other writer has committed.
      const now = (await this.#record(session)) ?? this.#nothing();
      this.#remember(now);
      if (!isSame(record, now)) throw new StaleCheckpointError(this.name);
      await send(batch, call);
    }
    const next = { ...record, checkpoint: to, floor: maxOf(record.floor, floor.reached()) };
    const change = { $set: { checkpoint: to, floor: next.floor } };
    const commit = await call(() => this.records.updateOne(stateOf(record), change, { session }));
    if (commit.matchedCount !== 1) throw new StaleCheckpointError(this.name);
    floor.committed(to);
    sweep.after(next.floor);
    return { ...held, record: next, since: momentOf(session) };
  }

  async #record(session?: ClientSession): Promise<NamespaceRecord | undefined> {
    const { records, connection } = this;
    const options = session && readIn(session);
    return (await connection.call(() => records.findOne({ _id: this.name }, options))) ?? undefined;
  }

  /** @throws Unavailable after a drop of the namespace until a call of `checkpoint`, as the checkpoint may be lower. */
  #remember({ incarnation }: NamespaceRecord): void {
    if (this.#incarnation !== '' && incarnation !== this.#incarnation) {
      throw new Unavailable('read store', `${this.name} was dropped`);
    }
    this.#incarnation = incarnation;
  }

  #nothing(): NamespaceRecord {
    const none = { checkpoint: START, term: 0, cuts: [], floor: START };
    return { _id: this.name, incarnation: '', ...none };
  }

  /** @returns a function that opens a collection, and throws when the namespace has no such collection. */
  #openIn({ incarnation }: NamespaceRecord): (collection: string) => OpenCollection {
    const opened = new Map<string, OpenCollection>();
    return (collection) => {
      const known = opened.get(collection);
      if (known) return known;
      const definition = this.collections[collection];
      if (!definition) throw new Error(`${this.name} has no collection ${collection}`);
      const name = collectionName(incarnation, this.name, collection);
      const open = { definition, rows: this.connection.db.collection<Row>(name) };
      opened.set(collection, open);
      return open;
    };
  }
}

const ROWS = 'rows';

function collectionName(incarnation: string, namespace: string, collection: string): string {
  return [ROWS, incarnation, namespace, collection].join('.');
}

/** @returns the incarnation that a collection belongs to; undefined for a collection that holds no rows. */
export function incarnationOf(collectionName: string): string | undefined {
  const [kind, incarnation] = collectionName.split('.');
  return kind === ROWS ? incarnation : undefined;
}

function maxOf(a: Position, b: Position): Position {
  return a > b ? a : b;
}

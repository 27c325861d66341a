import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { Long, Timestamp } from 'mongodb';
import { compareBy, equalitiesOf, matches, type Stored } from './mongodb-double-queries.js';
import { type Command, commandOf, firstAnswerOf, messageOf, messagesOf } from './wire-messages.js';

type Body = Readonly<Record<string, unknown>>;
type Keys = Readonly<Record<string, number>>;
type Rows = ReadonlyMap<string, Stored>;
/** All stored documents, by the full names of collections. */
type State = ReadonlyMap<string, Rows>;

const BY_ID: Keys = { _id: 1 };
const SET = 'double';
const DUPLICATE_KEY = 11_000;

/**
 * A test double of a replica set that looks like one server. It keeps every earlier state, and may answer a read from
 * an older one. An old primary does so before it steps down, and a new primary before its majority snapshot is current.
 * A session that names what it has seen gets no older state. A scan of an index goes from entry to entry, and may meet
 * newer states on its way.
 */
export class MongoDbDouble {
  /** The commands in the order of arrival. */
  readonly seen: Command[] = [];
  /** How many states behind the answer to a read is. */
  staleness: (command: Command) => number = () => 0;
  /** Called between two entries of a scan. @returns whether the scan goes on in the newest state. */
  catchesUp: () => boolean = () => false;
  readonly #states: State[] = [new Map()];
  readonly #indexes = new Map<string, Map<string, Keys>>();
  readonly #done = new Map<string, Body>();
  readonly #sockets = new Set<Socket>();

  private constructor(private readonly listener: Server) {
    listener.on('connection', (socket) => void this.#serve(socket));
  }

  static async open(): Promise<MongoDbDouble> {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new MongoDbDouble(listener);
  }

  uri(database: string): string {
    return `mongodb://${this.#host}/${database}?directConnection=true`;
  }

  /** Lets the driver choose a member by itself. */
  uriOfTheSet(database: string): string {
    return `mongodb://${this.#host}/${database}?replicaSet=${SET}`;
  }

  close(): void {
    this.listener.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #serve(socket: Socket): Promise<void> {
    this.#sockets.add(socket);
    socket.setNoDelay(true).on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    for await (const message of messagesOf(socket)) {
      const command = commandOf(message);
      if (!command) {
        socket.write(firstAnswerOf({ ok: 1, helloOk: true, ...this.#hello() }, message));
        continue;
      }
      this.seen.push(command);
      socket.write(messageOf({ ok: 1, ...this.#attempt(command) }, message));
    }
  }

  #attempt(command: Command): Body {
    try {
      return this.#answer(command);
    } catch (error) {
      return { ok: 0, code: 2, errmsg: String(error) };
    }
  }

  #answer(command: Command): Body {
    const { name, database, collection = '', body } = command;
    const full = `${database}.${collection}`;
    switch (name) {
      case 'hello':
      case 'ismaster':
        return this.#hello();
      case 'find':
        return this.#find(command, full);
      case 'insert':
      case 'update':
      case 'delete':
        return { ...this.#write(command, full), operationTime: timeOf(this.#latest) };
      case 'createIndexes':
        this.#index(full, body.indexes as { name: string; key: Keys }[]);
        return { operationTime: timeOf(this.#latest) };
      case 'listCollections':
        return this.#listCollections(database);
      case 'drop':
        this.#push(full, undefined);
        return { operationTime: timeOf(this.#latest) };
      case 'ping':
      case 'endSessions':
      case 'killCursors':
        return {};
      default:
        return { ok: 0, code: 59, errmsg: `the double does not know ${name}` };
    }
  }

  #hello(): Body {
    return {
      isWritablePrimary: true,
      ...{ setName: SET, setVersion: 1, secondary: false },
      ...{ hosts: [this.#host], me: this.#host, primary: this.#host },
      ...{ minWireVersion: 0, maxWireVersion: 21, logicalSessionTimeoutMinutes: 30 },
      ...{
        maxBsonObjectSize: 2 ** 24,
        maxMessageSizeBytes: 48_000_000,
        maxWriteBatchSize: 100_000,
      },
    };
  }

  get #host(): string {
    const address = this.listener.address();
    if (address === null || typeof address === 'string') throw new Error('the double is closed');
    return `127.0.0.1:${address.port}`;
  }

  get #latest(): number {
    return this.#states.length - 1;
  }

  #rows(state: number, full: string): Rows {
    return this.#states[state]?.get(full) ?? new Map<string, Stored>();
  }

  #push(full: string, rows: Rows | undefined): void {
    const next = new Map(this.#states[this.#latest]);
    if (rows) next.set(full, rows);
    else next.delete(full);
    this.#states.push(next);
  }

  #index(full: string, made: readonly { readonly name: string; readonly key: Keys }[]): void {
    const indexes = this.#indexes.get(full) ?? new Map<string, Keys>();
    this.#indexes.set(full, indexes);
    for (const { name, key } of made) indexes.set(name, key);
    if (!this.#states[this.#latest]?.has(full)) this.#push(full, new Map());
  }

  #find(command: Command, full: string): Body {
    const { filter = {}, sort = {}, skip = 0, limit = 0, hint, readConcern } = command.body;
    const { afterClusterTime } = (readConcern ?? {}) as { afterClusterTime?: Timestamp };
    const seen = afterClusterTime ? afterClusterTime.i - 1 : 0;
    let state = Math.max(this.#latest - this.staleness(command), seen, 0);
    const keys = this.#scanned(full, hint as string | undefined);
    const found: Stored[] = [];
    let entries = this.#entries(state, full, keys, filter as Body);
    for (let at = 0; at < entries.length; at++) {
      const row = entries[at];
      if (row && matches(row, filter as Body)) found.push(row);
      if (state === this.#latest || !this.catchesUp()) continue;
      state = this.#latest;
      entries = this.#entries(state, full, keys, filter as Body);
      at = entries.findIndex((one) => row && compareBy(keys, one, row) > 0) - 1;
      if (at < -1) break;
    }
    const inOrder = found.sort((a, b) => compareBy(sort as Keys, a, b));
    const [first, count] = [Number(skip), Number(limit)];
    const firstBatch = inOrder.slice(first, count === 0 ? undefined : first + count);
    return { cursor: { id: Long.ZERO, ns: full, firstBatch }, operationTime: timeOf(state) };
  }

  /** Gives the entries of an index in the part that a filter selects. */
  #entries(state: number, full: string, keys: Keys, filter: Body): Stored[] {
    const led = equalitiesOf(filter);
    const some = [...this.#rows(state, full).values()].filter((row) => matches(row, led));
    return some.sort((a, b) => compareBy(keys, a, b));
  }

  /** Without a hint the server may choose any index. @throws when no index has the given name. */
  #scanned(full: string, hint: string | undefined): Keys {
    const indexes = this.#indexes.get(full);
    if (hint === undefined) return [...(indexes?.values() ?? [])].at(1) ?? BY_ID;
    const keys = indexes?.get(hint);
    if (!keys && this.#rows(this.#latest, full).size > 0) throw new Error(`no index ${hint}`);
    return { ...(keys ?? BY_ID), _id: 1 };
  }

  #write({ name, body }: Command, full: string): Body {
    const statements = (body.documents ?? body.updates ?? body.deletes) as Body[];
    const ids = (body.stmtIds as number[] | undefined) ?? statements.map((_, index) => index);
    let [n, nModified] = [0, 0];
    const writeErrors: Body[] = [];
    statements.forEach((statement, index) => {
      // The server remembers the writes of a session, so that a repeated write takes effect once.
      const transaction =
        body.txnNumber === undefined ? undefined : textOf([body.lsid, body.txnNumber, ids[index]]);
      const before = transaction === undefined ? undefined : this.#done.get(transaction);
      const done = before ?? this.#carryOut(name, full, statement);
      if (transaction !== undefined) this.#done.set(transaction, done);
      if (done.code !== undefined) writeErrors.push({ index, ...done });
      n += Number(done.n ?? 0);
      nModified += Number(done.nModified ?? 0);
    });
    return { n, nModified, ...(writeErrors.length > 0 && { writeErrors }) };
  }

  #carryOut(name: string, full: string, statement: Body): Body {
    const rows = new Map(this.#rows(this.#latest, full));
    if (name === 'insert') {
      const id = String(statement._id);
      if (rows.has(id)) return { code: DUPLICATE_KEY, errmsg: `E11000 duplicate key ${id}` };
      rows.set(id, statement);
      this.#push(full, rows);
      return { n: 1 };
    }
    const filter = statement.q as Body;
    const found = [...rows].filter(([, row]) => matches(row, filter));
    const some = statement.multi === true || statement.limit === 0 ? found : found.slice(0, 1);
    for (const [id, row] of some) {
      if (name === 'delete') rows.delete(id);
      else rows.set(id, { ...row, ...(statement.u as { $set: Body }).$set });
    }
    if (some.length > 0) this.#push(full, rows);
    return { n: some.length, nModified: some.length };
  }

  #listCollections(database: string): Body {
    const names = [...(this.#states[this.#latest]?.keys() ?? [])]
      .filter((full) => full.startsWith(`${database}.`))
      .map((full) => ({ name: full.slice(database.length + 1), type: 'collection' }));
    return {
      cursor: { id: Long.ZERO, ns: `${database}.$cmd.listCollections`, firstBatch: names },
      operationTime: timeOf(this.#latest),
    };
  }
}

function timeOf(state: number): Timestamp {
  return new Timestamp({ t: 1, i: state + 1 });
}

function textOf(value: unknown): string {
  return JSON.stringify(value);
}

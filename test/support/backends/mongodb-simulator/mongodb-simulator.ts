import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { Long, Timestamp, UUID } from 'mongodb';
import { type Command, commandOf, firstAnswerOf, messageOf, messagesOf } from '../wire-messages.js';
import { Cursors } from './cursors.js';
import { History } from './history.js';
import type { Filter, Keys, Stored } from './queries.js';
import { Refusal } from './refusal.js';
import { Transactions } from './transactions.js';
import { Writes } from './writes.js';

type Body = Readonly<Record<string, unknown>>;

const SET = 'rs0';
const DONE: Body = {};
const COUNTING = JSON.stringify([{ $group: { _id: 1, n: { $sum: 1 } } }]);

/** A replica set of one member, with the commands that the read store uses. */
export class MongoDbSimulator {
  /** The commands in the order of arrival. */
  readonly seen: Command[] = [];
  /**
   * The number of the newest commits that a read does not see. An old primary answers so before it
   * steps down.
   */
  staleness: (command: Command) => number = () => 0;
  /** The fields of `hello` in which this server differs from a replica set of a current version. */
  describedAs: Body = {};
  readonly #cursors = new Cursors();
  readonly #transactions: Transactions;
  readonly #writes: Writes;
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly listener: Server,
    private readonly history: History,
  ) {
    this.#transactions = new Transactions(history);
    this.#writes = new Writes(history, this.#transactions);
    listener.on('connection', (socket) => void this.#serve(socket));
  }

  /** @param file the file that a restart begins from. Without it, all is in memory. */
  static async open({ port = 0, file }: { port?: number; file?: string } = {}) {
    const history = new History(file);
    const listener = createServer().listen(port, '127.0.0.1');
    await once(listener, 'listening');
    return new MongoDbSimulator(listener, history);
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
    this.history.close();
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
      socket.write(messageOf({ ok: 1, ...(await this.#attempt(command)) }, message));
    }
  }

  async #attempt(command: Command): Promise<Body> {
    try {
      return { ...(await this.#answer(command)), operationTime: timeOf(this.history.now) };
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(2, String(error));
      return refusal.body(command.body.autocommit === false);
    }
  }

  async #answer(command: Command): Promise<Body> {
    const { name, database, collection = '', body } = command;
    const full = `${database}.${collection}`;
    switch (name) {
      case 'hello':
      case 'ismaster':
        return this.#hello();
      case 'find':
        return this.#find(command, full);
      case 'aggregate':
        return this.#aggregate(command, full);
      case 'getMore':
        return this.#cursors.more(body);
      case 'insert':
      case 'update':
      case 'delete':
        return this.#writes.carryOut(command, full);
      case 'commitTransaction':
        this.#transactions.commit(body);
        return DONE;
      case 'abortTransaction':
        this.#transactions.abort(body);
        return DONE;
      case 'killSessions':
        this.#transactions.kill(body.killSessions as { id: unknown }[]);
        return DONE;
      case 'create':
        if (this.history.has(full)) throw new Refusal(48, `${full} exists`);
        this.history.create(full);
        return DONE;
      case 'createIndexes':
        for (const one of body.indexes as { name: string; key: Keys }[]) {
          this.history.index(full, one.name, one.key);
        }
        return DONE;
      case 'drop':
        if (!this.history.has(full)) throw new Refusal(26, 'ns not found');
        this.#drop(full);
        return DONE;
      case 'dropIndexes':
        this.history.dropIndex(full, String(body.index));
        return DONE;
      case 'dropDatabase':
        for (const one of this.#collectionsOf(database)) this.#drop(`${database}.${one}`);
        return DONE;
      case 'listCollections':
        return this.#listCollections(database);
      case 'ping':
      case 'endSessions':
      case 'killCursors':
        return DONE;
      default:
        throw new Refusal(59, `no such command: '${name}'`);
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
      ...this.describedAs,
    };
  }

  get #host(): string {
    const address = this.listener.address();
    if (address === null || typeof address === 'string') throw new Error('it is closed');
    return `127.0.0.1:${address.port}`;
  }

  #find(command: Command, full: string): Body {
    const { filter = {}, sort, hint, skip = 0, limit = 0, batchSize } = command.body;
    const moment = this.#momentOf(command);
    const found = this.history.find(moment, full, {
      filter: filter as Filter,
      ...(sort !== undefined && { sort: sort as Keys }),
      hint: hint as string | undefined,
    });
    const [first, count] = [Number(skip), Number(limit)];
    const wanted = found.slice(first, count === 0 ? undefined : first + count);
    const cursor = this.#cursors.begin(full, wanted, Number(batchSize ?? 101));
    return { cursor: { ...cursor, ...snapshotOf(command, moment) } };
  }

  /**
   * Answers the aggregations that count documents, look up others by the key, or append those of
   * other collections to all of one. @throws Refusal for another one.
   */
  #aggregate(command: Command, full: string): Body {
    const { pipeline, hint } = command.body;
    const stages = pipeline as { $match?: Filter; $lookup?: Lookup; $unionWith?: Union }[];
    const [match, ...rest] = stages;
    const moment = this.#momentOf(command);
    if (!match?.$match) {
      const appended = stages.flatMap(({ $unionWith }) =>
        this.#united(command.database, moment, $unionWith),
      );
      const all = [...this.history.find(moment, full, { filter: {} }), ...appended];
      const { batchSize } = command.body.cursor as { readonly batchSize: number };
      return { cursor: this.#cursors.begin(full, all, batchSize) };
    }
    const filter = match.$match;
    const found = this.history.find(moment, full, { filter, hint: hint as string | undefined });
    const counted = found.length === 0 ? [] : [{ _id: 1, n: found.length }];
    const lookUp = (document: Stored): Stored => {
      const ahead = rest.map(({ $lookup }) => this.#lookedUp(command.database, moment, $lookup));
      return ahead.length === 0 ? document : { ...document, ahead: Object.fromEntries(ahead) };
    };
    const answer = JSON.stringify(rest) === COUNTING ? counted : found.map(lookUp);
    const cursor = this.#cursors.begin(full, answer, 101);
    return { cursor: { ...cursor, ...snapshotOf(command, moment) } };
  }

  #lookedUp(database: string, moment: number, lookup?: Lookup): [string, Stored[]] {
    const [as, field] = lookup?.as.split('.') ?? [];
    const [only, ...others] = lookup?.pipeline ?? [];
    const isKnown = as === 'ahead' && field !== undefined && others.length === 0;
    if (!lookup || !only || !isKnown)
      throw new Refusal(2, 'the simulator does not know this stage');
    const { $match: filter } = only;
    return [field, this.history.find(moment, `${database}.${lookup.from}`, { filter })];
  }

  #united(database: string, moment: number, union?: Union): Stored[] {
    const [match, set, ...others] = union?.pipeline ?? [];
    if (!union || !match?.$match || !set?.$set || others.length > 0)
      throw new Refusal(2, 'the simulator does not know this stage');
    const { $match: filter } = match;
    const found = this.history.find(moment, `${database}.${union.coll}`, { filter });
    return found.map((document) => ({ ...document, ...set.$set }));
  }

  /** Gives the moment of the state that a command reads. */
  #momentOf(command: Command): number {
    const { atClusterTime } = readConcernOf(command);
    return atClusterTime?.i ?? Math.max(this.history.now - this.staleness(command), 1);
  }

  #drop(full: string): void {
    this.#transactions.endThoseOf(full);
    this.history.drop(full);
  }

  #collectionsOf(database: string): string[] {
    return this.history
      .names()
      .filter((full) => full.startsWith(`${database}.`))
      .map((full) => full.slice(database.length + 1));
  }

  #listCollections(database: string): Body {
    const firstBatch = this.#collectionsOf(database).map((name) => {
      const uuid = new UUID(this.history.uuidOf(`${database}.${name}`));
      return { name, type: 'collection', info: { readOnly: false, uuid } };
    });
    return { cursor: { id: Long.ZERO, ns: `${database}.$cmd.listCollections`, firstBatch } };
  }
}

interface Lookup {
  readonly from: string;
  readonly pipeline: readonly { readonly $match: Filter }[];
  readonly as: string;
}

interface Union {
  readonly coll: string;
  readonly pipeline: readonly { readonly $match?: Filter; readonly $set?: Stored }[];
}

interface ReadConcern {
  readonly level?: string;
  readonly atClusterTime?: Timestamp;
}

function readConcernOf({ body }: Command): ReadConcern {
  return body.readConcern ?? {};
}

/** Tells a snapshot session its moment. */
function snapshotOf(command: Command, moment: number): Body {
  return readConcernOf(command).level === 'snapshot' ? { atClusterTime: timeOf(moment) } : {};
}

function timeOf(moment: number): Timestamp {
  return new Timestamp({ t: 1, i: moment });
}

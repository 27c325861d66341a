import { setTimeout as delay } from 'node:timers/promises';
import {
  type ClientSession,
  type Db,
  type Document,
  type MongoClient,
  MongoError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';
import { Denied, messageOf, Unavailable } from '../../../kernel/errors.js';
import { inTime } from '../../waiting/in-time.js';
import { isSystemError } from '../../system-error.js';
import {
  isDenial,
  isLostPrimary,
  isTransient,
  isUnknownCommit,
  whyNoServer,
} from './server-errors.js';
import { createClient, databaseOf } from './uri.js';

/** A call's time limit. The driver gives up sooner, unless a connection breaks as it begins. */
const LONGEST_CALL_MS = 10_000;
/** How long a transaction is tried again. The server may need as long to elect a primary. */
const TRIED_FOR_MS = 5_000;
const PAUSE_MS = 50;
/** The wire version of MongoDB 5.0, which reads collections at one moment without transaction. */
const SNAPSHOT_READS = 13;

const TRANSACTION = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', journal: true },
  readPreference: 'primary',
} as const;

/**
 * Calls the server once.
 * @throws Unavailable when server or connection fails, or no answer comes within 10 s; Denied when
 * the user or password is refused, the server is no replica set, or the driver lacks a module.
 */
export type Call = <Result>(work: () => Promise<Result>) => Promise<Result>;

interface Written {
  readonly n: number;
  /** A plain command that wrote a part only does not fail. */
  readonly writeErrors?: readonly Document[];
}

/** A connection to a database. It connects at the first call, and when the server comes back. */
export class Connection {
  readonly db: Db;
  readonly #client: MongoClient;
  /** The reason why no server was found, until one answers. */
  fault: Unavailable | undefined;
  #isFit = false;
  #closed = false;

  /** @throws when the driver refuses the URI, without text of the URI. */
  constructor(uri: string) {
    this.#client = createClient(uri);
    this.db = databaseOf(this.#client, uri);
  }

  readonly call: Call = async (work) => {
    if (this.#closed) throw new Unavailable('read store', 'it was closed');
    try {
      const answer = this.#connect().then(() => work());
      const answered = await inTime(answer, LONGEST_CALL_MS, () => {
        this.#disconnect();
        return new Unavailable('read store', `no answer within ${LONGEST_CALL_MS} ms`);
      });
      this.fault = undefined;
      return answered;
    } catch (error) {
      if (isDenial(error)) {
        const message = `MongoDB refuses what MONGODB_URI says: ${messageOf(error)}`;
        throw new Denied('read store', message, error);
      }
      // The driver (7.9.0) may have lost the server for good: a broken heartbeat never ends.
      if (error instanceof MongoServerSelectionError) {
        this.#disconnect();
        throw (this.fault = new Unavailable('read store', error, whyNoServer(error)));
      }
      throw isOfTheServer(error) ? new Unavailable('read store', error) : error;
    }
  };

  /** Sends a command that reads. Repeats it once if the primary is lost, as the driver does. */
  ask<Answer>(command: Document, session?: ClientSession): Promise<Answer> {
    const send = (): Promise<Document> => this.db.command(command, session && { session });
    return this.call(async () => {
      const answer = await send().catch((error: unknown) => {
        if (!isLostPrimary(error)) throw error;
        return send();
      });
      return answer as Answer;
    });
  }

  /** Sends a command that writes in a transaction. @returns how many documents it found or made. */
  write(command: Document, session: ClientSession): Promise<number> {
    return this.call(async () => {
      const { n, writeErrors } = (await this.db.command(command, { session })) as Written;
      const [fault] = writeErrors ?? [];
      if (fault) throw new MongoServerError(fault);
      return n;
    });
  }

  /** Returns a session, which the caller ends. */
  startSession(): ClientSession {
    return this.#client.startSession({ causalConsistency: false });
  }

  /**
   * Runs `work` in a transaction, and tries again while the server says that nothing remains of it.
   * The driver's `withTransaction` does so for two minutes, and does not know `Unavailable`.
   * @throws Unavailable when the transaction failed, or when nobody knows whether it was committed.
   */
  async inTransaction(session: ClientSession, work: () => Promise<void>): Promise<void> {
    const until = performance.now() + TRIED_FOR_MS;
    const isOver = (): boolean => performance.now() > until;
    for (;;) {
      try {
        session.startTransaction(TRANSACTION);
        await work();
        await this.#commit(session, isOver);
        return;
      } catch (error) {
        if (session.inTransaction()) {
          await this.call(() => session.abortTransaction()).catch(() => undefined);
        }
        if (!isTransient(error) || isOver()) throw error;
        await delay(PAUSE_MS * Math.random());
      }
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#client.close();
  }

  /** A commit may be sent many times: the server commits once, and gives the same answer. */
  async #commit(session: ClientSession, isOver: () => boolean): Promise<void> {
    for (;;) {
      try {
        await this.call(() => session.commitTransaction());
        return;
      } catch (error) {
        if (!isUnknownCommit(error) || isOver()) throw error;
      }
    }
  }

  async #connect(): Promise<void> {
    // Without `connect`, the driver never tries again when the server was away at the first use.
    await this.#client.connect();
    if (this.#isFit) return;
    const { setName, msg, maxWireVersion } = await this.db.command({ hello: 1 });
    if (setName === undefined && msg !== 'isdbgrid') {
      const cure = 'One member is enough: mongod --replSet rs0, then rs.initiate() in mongosh';
      throw new Denied('read store', `MongoDB must be a replica set. ${cure}`, undefined);
    }
    if (Number(maxWireVersion) < SNAPSHOT_READS) {
      throw new Denied('read store', 'MongoDB must be of version 5.0 or later', undefined);
    }
    this.#isFit = true;
  }

  /** Closes all connections, to end calls that the driver never ends. The next call opens them. */
  #disconnect(): void {
    this.#client.close().catch(() => undefined);
  }
}

/** Whether server or connection failed. The driver wraps no system error of a closed connection. */
function isOfTheServer(error: unknown): boolean {
  return error instanceof MongoError || isSystemError(error);
}

import { type ClientSession, type Db, MongoClient, MongoError, type Timestamp } from 'mongodb';
import { Denied, messageOf, Unavailable } from '../../../kernel/errors.js';
import { inTime } from '../../../kernel/in-time.js';
import { isSystemError } from '../../../kernel/system-error.js';
import { watchHeartbeats } from './heartbeat-watch.js';
import { isDenial } from './server-errors.js';
import { createClient, databaseOf } from './uri.js';

/** The time limit for a call. The driver gives up sooner, unless a connection breaks just as an operation begins. */
const LONGEST_CALL_MS = 10_000;

/** A moment in the history of the server. A session that starts from a moment sees everything up to the moment. */
export interface Moment {
  readonly operationTime: Timestamp | undefined;
  readonly clusterTime: ClientSession['clusterTime'];
}

/**
 * Calls the server once.
 * @throws Unavailable when the server or the connection fails, or no answer comes within 10 s; Denied when the server
 * refuses the user or the password, and when the driver lacks a module.
 */
export type Call = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** A connection to a database. It connects at the first call, and again whenever the server comes back. */
export class Connection {
  readonly db: Db;
  readonly #client: MongoClient;
  readonly #endWatch: () => void;
  #closed = false;

  /** @throws when the driver refuses the URI, without text of the URI. */
  constructor(uri: string) {
    this.#client = createClient(uri);
    this.db = databaseOf(this.#client, uri);
    this.#endWatch = watchHeartbeats(this.#client, () => this.#disconnect());
  }

  readonly call: Call = async (work) => {
    if (this.#closed) throw new Unavailable('read store', 'it was closed');
    try {
      // Without `connect`, the driver never tries again when the server was away at the first use.
      const answer = this.#client.connect().then(() => work());
      return await inTime(answer, LONGEST_CALL_MS, () => {
        this.#disconnect();
        return new Unavailable('read store', `no answer within ${LONGEST_CALL_MS} ms`);
      });
    } catch (error) {
      if (isDenial(error)) {
        const message = `MongoDB refuses what MONGODB_URI says: ${messageOf(error)}`;
        throw new Denied('read store', message, error);
      }
      throw isOfTheServer(error) ? new Unavailable('read store', error) : error;
    }
  };

  /**
   * Runs `work` in one causally consistent session: each read sees the state of the previous read, or a later state.
   * @param since the moment from which the session starts.
   */
  async inSession<Result>(
    work: (session: ClientSession) => Promise<Result>,
    since?: Moment,
  ): Promise<Result> {
    const session = this.#client.startSession({ causalConsistency: true });
    try {
      if (since?.clusterTime) session.advanceClusterTime(since.clusterTime);
      if (since?.operationTime) session.advanceOperationTime(since.operationTime);
      return await work(session);
    } finally {
      // The driver tells the server that the session ended, but the server may be away.
      session.endSession().catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#endWatch();
    await this.#client.close();
  }

  /** Closes all connections, to end the calls that the driver never ends. The next call makes new connections. */
  #disconnect(): void {
    this.#client.close().catch(() => undefined);
  }
}

/**
 * Returns the options of a read in a session. Each read has its own read concern object, because the driver (7.9.0)
 * writes the session's latest operation time into the object. Sessions that share it would wait for that time too.
 */
export function readIn(session: ClientSession) {
  return { session, readConcern: { level: 'majority' } } as const;
}

export function momentOf({ operationTime, clusterTime }: ClientSession): Moment {
  return { operationTime, clusterTime };
}

/** Whether the server or the connection failed. The driver does not wrap system errors of a connection just closed. */
function isOfTheServer(error: unknown): boolean {
  return error instanceof MongoError || isSystemError(error);
}

import { type ClientSession, type Db, MongoClient, MongoError, type Timestamp } from 'mongodb';
import { Unavailable } from '../../kernel/errors.js';
import { inTime } from '../../kernel/in-time.js';
import { isSystemError } from '../../kernel/system-error.js';
import { watchHeartbeats } from './heartbeat-watch.js';
import { createClient, databaseOf } from './uri.js';

/** The driver gives up sooner, but for an operation whose connection goes just as it begins: that never ends. */
const LONGEST_CALL_MS = 10_000;

/** A moment of the server's history. A session that starts from here sees everything up to here. */
export interface Moment {
  readonly operationTime: Timestamp | undefined;
  readonly clusterTime: ClientSession['clusterTime'];
}

/**
 * Calls the server once.
 * @throws Unavailable when the call fails, or is not answered within 10 s.
 */
export type Call = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Connects to a database when something is asked of it, and again whenever the server comes back. */
export class Connection {
  readonly db: Db;
  readonly #client: MongoClient;
  readonly #endWatch: () => void;
  #closed = false;

  /** @throws when the driver refuses the URI, without a word of it. */
  constructor(uri: string) {
    this.#client = createClient(uri);
    this.db = databaseOf(this.#client, uri);
    this.#endWatch = watchHeartbeats(this.#client, () => this.#disconnect());
  }

  readonly call: Call = async (work) => {
    if (this.#closed) throw new Unavailable('read store', 'it was closed');
    try {
      // Left to itself, the driver never tries again when the server was not there at its first use.
      const answer = this.#client.connect().then(() => work());
      return await inTime(answer, LONGEST_CALL_MS, () => {
        this.#disconnect();
        return new Unavailable('read store', `no answer within ${LONGEST_CALL_MS} ms`);
      });
    } catch (error) {
      throw isOfTheServer(error) ? new Unavailable('read store', error) : error;
    }
  };

  /**
   * Does something in one causally consistent session: each read sees what the reads before it saw, or a later state.
   * @param since the session starts from here.
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
      // The end of a session is told to the server, which need not be there.
      session.endSession().catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#endWatch();
    await this.#client.close();
  }

  /** Ends all connections, and with them the calls that the driver never ends. The next call makes new ones. */
  #disconnect(): void {
    this.#client.close().catch(() => undefined);
  }
}

/**
 * The options of a read in a session. The read concern is an object of its own: the driver (7.9.0) writes the time that
 * the session has seen into it, and other sessions of one shared object would wait for that time too.
 */
export function readIn(session: ClientSession) {
  return { session, readConcern: { level: 'majority' } } as const;
}

export function momentOf({ operationTime, clusterTime }: ClientSession): Moment {
  return { operationTime, clusterTime };
}

/** The driver does not wrap what it meets in writing to a connection that has just been closed. */
function isOfTheServer(error: unknown): boolean {
  return error instanceof MongoError || isSystemError(error);
}

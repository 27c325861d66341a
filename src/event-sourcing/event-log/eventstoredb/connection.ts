import { setTimeout as delay } from 'node:timers/promises';
import {
  BACKWARDS,
  type Credentials,
  END,
  EventStoreDBClient,
  NotLeaderError,
} from '@eventstore/db-client';
import { Unavailable } from '../../../kernel/errors.js';
import { inTime } from '../../waiting/in-time.js';
import { LinkedAbort } from '../../waiting/linked-abort.js';
import { pause } from '../../waiting/pause.js';
import { isSilence, mayPass, Silence } from './faults.js';
import { StreamedCall } from './streamed-call.js';

/** Placeholder credentials, which make each append a separate call. Only TLS servers get them. */
const NOBODY: Credentials = { username: 'nobody', password: 'nobody' };

/** How long an attempt may take. The server gives an append up after 2 s, so it answers first. */
export const ATTEMPT_MS = 3_000;
/** The time until another client is tried. A client made after an election finds the leader. */
const TRY_NEXT_AFTER_MS = 100;
/** The same in a search that has lasted for `LONG_SEARCH_MS`. */
const TRY_SELDOM_AFTER_MS = 500;
const LONG_SEARCH_MS = 1_000;
const MOST_TRIES = 3;
/** The client's default for how long a server may take to answer a ping. */
const KEEP_ALIVE_TIMEOUT_MS = 10_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** The most clients that differ. Far fewer exist at once. */
const MOST_CLIENTS = 1_000;

/**
 * The way to the leader. A client looks for another leader only when its connection breaks: after
 * 20 s with a leader that is frozen or cut off. So a call without an answer is reported here, and
 * all later calls wait while new clients are tried, until the first gets an answer from a leader.
 */
export class Connection {
  /** The client for subscriptions, with its own connection, because one carries only 100 calls. */
  subscriber: EventStoreDBClient;
  #leader: Promise<EventStoreDBClient> | undefined;
  #isSearching = false;
  #foundAt = -Infinity;
  /** The last error that a server reported in the search for the leader. */
  #reported: unknown;
  readonly #closing = new AbortController();

  /** @param onReplaced called after each silence: subscriptions may have fallen silent too. */
  constructor(
    private readonly connectionString: string,
    private readonly onReplaced: () => void = () => undefined,
    readonly part = 'event log',
  ) {
    this.subscriber = connect(connectionString);
  }

  /** The last error of a server or the system in the search for the leader under way. */
  get fault(): Error | undefined {
    return this.#isSearching && this.#reported instanceof Error ? this.#reported : undefined;
  }

  /**
   * Returns the client for all other calls.
   * @throws a server's last error, or else Silence, when no leader answers within `withinMs`.
   */
  leader(withinMs: number): Promise<EventStoreDBClient> {
    const leader = this.#leader ?? this.#search();
    if (!this.#isSearching) return leader;
    return inTime(leader, withinMs, () => this.fault ?? Silence.after(withinMs));
  }

  /** Reports a call without an answer. @param began when the call began, by `performance.now()`. */
  reportSilence(began: number): void {
    if (this.#isSearching || began < this.#foundAt) return;
    const before = this.#leader;
    const replace = async (): Promise<void> => {
      await this.#search();
      const subscriber = this.subscriber;
      this.subscriber = connect(this.connectionString);
      this.onReplaced();
      const client = await before;
      await Promise.all([leave(subscriber), client && leave(client)]);
    };
    // A search that fails begins again at the next call.
    replace().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const client = await this.#leader?.catch(() => undefined);
    await Promise.all([client?.dispose(), this.subscriber.dispose()]);
  }

  #search(): Promise<EventStoreDBClient> {
    const leader = this.#findLeader();
    this.#leader = leader;
    leader.catch(() => (this.#leader = undefined));
    return leader;
  }

  /**
   * Tries clients, a few beside each other, until a leader answers one. The oldest has the full
   * time for a slow leader. The others make room for new ones, which find one elected meanwhile.
   */
  async #findLeader(): Promise<EventStoreDBClient> {
    this.#isSearching = true;
    this.#reported = undefined;
    const over = new LinkedAbort(this.#closing.signal);
    const began = performance.now();
    const tries = new Set<LinkedAbort>();
    let found: EventStoreDBClient | undefined;
    const attempt = async (client: EventStoreDBClient, turn: LinkedAbort): Promise<void> => {
      const isAnswered = await this.#isAnswered(client, turn.signal);
      turn.unlink();
      tries.delete(turn);
      if (!isAnswered) return;
      if (found || turn.signal.aborted) return leave(client);
      found = client;
      over.abort();
    };
    try {
      while (!over.signal.aborted) {
        const [, second] = tries;
        if (tries.size === MOST_TRIES) second?.abort();
        const turn = new LinkedAbort(over.signal);
        tries.add(turn);
        void attempt(connect(this.connectionString), turn);
        const isLong = performance.now() - began >= LONG_SEARCH_MS;
        await pause(isLong ? TRY_SELDOM_AFTER_MS : TRY_NEXT_AFTER_MS, over.signal);
      }
      if (!found) throw new Unavailable(this.part, 'it is closed');
      return found;
    } finally {
      over.unlink();
      this.#isSearching = false;
      this.#foundAt = performance.now();
    }
  }

  /** Whether a leader answers or refuses, or the signal aborts. Otherwise the client is useless. */
  async #isAnswered(client: EventStoreDBClient, signal: AbortSignal): Promise<boolean> {
    const until = performance.now() + ATTEMPT_MS;
    for (;;) {
      const newest = { direction: BACKWARDS, fromPosition: END, maxCount: 1 } as const;
      const call = new StreamedCall(client.readAll({ ...newest, requiresLeader: true }));
      try {
        await call.waitForEvent(until - performance.now(), signal);
        return true;
      } catch (error) {
        if (!mayPass(error)) return true;
        if (isSilence(error)) {
          await leave(client);
          return false;
        }
        this.#reported = error;
        // The client goes to the leader that the error names. Other errors close its channel.
        if (!(error instanceof NotLeaderError)) return false;
      } finally {
        call.close();
      }
      await delay(TRY_NEXT_AFTER_MS);
    }
  }
}

/** Returns the user and password in a connection string, or placeholders if the string has none. */
export function credentialsOf(connectionString: string): Credentials {
  const [, username, password] = /^[^:]+:\/\/([^:@/]+):([^@/]+)@/.exec(connectionString) ?? [];
  if (username === undefined || password === undefined) return NOBODY;
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
}

let clients = 0;

/**
 * Makes a client from a checked connection string. May fail, as the client reads files named in it.
 * One option differs in every client, because clients with equal options share a connection.
 */
function connect(connectionString: string): EventStoreDBClient {
  const base = connectionString.replace(/\/+$/, '');
  const [, given = KEEP_ALIVE_TIMEOUT_MS] =
    /[?&]keep[_-]?alive[_-]?timeout=(-?\d+)/i.exec(base) ?? [];
  clients = (clients % MOST_CLIENTS) + 1;
  const isOff = Number(given) < 0;
  const options = [
    `keepAliveTimeout=${isOff ? LONGEST_TIMER_MS - clients : Number(given) + clients}`,
  ];
  // The client asks one member after the other, and by itself waits 5 s for one that is frozen.
  if (!/[?&]gossip[_-]?timeout=/i.test(base)) options.push('gossipTimeout=1');
  const added = options.join('&');
  try {
    return makeSurvivable(
      EventStoreDBClient.connectionString(`${base}${base.includes('?') ? '&' : '?'}${added}`),
    );
  } catch {
    // The message of the client may contain a password, and names neither the setting nor the file.
    throw new Error(
      'the EventStoreDB client refuses EVENTSTOREDB_CONNECTION_STRING: a host or an option is wrong, or a file that it names cannot be read',
    );
  }
}

/**
 * Changes a client so that no fault ends the process. After one it replaces its channel without
 * `await`: a failed discovery, or an append begun on the closing channel, would be an unhandled
 * rejection. So this waits for a turn of the event loop with no call half begun, and may fail.
 */
function makeSurvivable(client: EventStoreDBClient): EventStoreDBClient {
  const recover = Reflect.get(client, 'handleError') as (...fault: unknown[]) => Promise<void>;
  const later = async (...fault: unknown[]): Promise<void> => {
    setImmediate(() => {
      recover(...fault).catch(() => undefined);
    });
  };
  Reflect.set(client, 'handleError', later);
  return client;
}

/** Closes the channel of a client, which `dispose` leaves open. Calls under way go on. */
async function leave(client: EventStoreDBClient): Promise<void> {
  const channel = Reflect.get(client, 'getChannel') as () => Promise<{ close(): void }>;
  await channel().then(
    (open) => open.close(),
    () => undefined,
  );
}

import { setTimeout as delay } from 'node:timers/promises';
import { type Credentials, EventStoreDBClient, UnavailableError } from '@eventstore/db-client';

/** With credentials the client makes a call of its own. A server without TLS never gets them. */
const NOBODY: Credentials = { username: 'nobody', password: 'nobody' };

/** Of a member of a cluster that is asked for the leader, unless the connection string says otherwise. */
const GOSSIP_TIMEOUT = 'gossipTimeout=1';
/** How long a search for the leader goes on alone before another one is begun. */
const SEARCH_AGAIN_AFTER_MS = 50;
/** Nearly half of all searches ask a frozen member first, where one of three is. All 16 do so once in 300,000 times. */
const MOST_SEARCHES = 16;
/** How long an attempt may take once one before had no answer. */
const SHORT_ATTEMPT_MS = 1_000;
/** An election takes 5 to 8 s. After this time a slow server gets full attempts again. */
const SHORT_FOR_MS = 10_000;
/** The time that a new connection has before it counts as silent. */
const YOUNG_MS = 500;

type Recover = (service: { getChannel(): unknown }, fault: unknown) => Promise<void>;

/**
 * A client with its connection to the leader. The client looks for another leader only when a connection breaks. A leader
 * that is frozen, or that packets do not reach, breaks none for 20 s. So a call without an answer is reported here.
 */
export class Connection {
  readonly client: EventStoreDBClient;
  #channel: unknown;
  #madeAt = -Infinity;
  #lookedAt = -Infinity;
  #shortUntil = -Infinity;
  #isAnswered = true;

  /**
   * @param options added to those of the connection string, and stronger.
   * @param onSilence called when a call on this connection had no answer.
   */
  constructor(
    connectionString: string,
    options: Readonly<Record<string, string | number>> = {},
    private readonly onSilence: () => void = () => undefined,
  ) {
    this.client = connect(connectionString, options);
    const make = Reflect.get(this.client, 'createChannel') as () => Promise<unknown>;
    const search = Reflect.get(this.client, 'resolveUri') as () => Promise<string>;
    Reflect.set(this.client, 'resolveUri', () => soonest(search));
    Reflect.set(this.client, 'createChannel', async () => {
      this.#channel = await make();
      this.#madeAt = performance.now();
      return this.#channel;
    });
  }

  /** The milliseconds that an attempt may take now; `ms` at other times. */
  patience(ms: number): number {
    return performance.now() < this.#shortUntil ? Math.min(ms, SHORT_ATTEMPT_MS) : ms;
  }

  /** Reports a call without an answer, by its beginning. The client looks for the leader, unless it did so since. */
  silent(began: number): void {
    const now = performance.now();
    if (began < this.#lookedAt || now - this.#madeAt < YOUNG_MS) return;
    this.#lookedAt = now;
    if (this.#isAnswered) this.#shortUntil = now + SHORT_FOR_MS;
    this.#isAnswered = false;
    // Calls under way stay on their channel.
    const channel = this.#channel;
    const recover = Reflect.get(this.client, 'handleError') as Recover;
    void recover({ getChannel: () => channel }, new UnavailableError());
    this.onSilence();
  }

  /** Reports an answered call, by its beginning. */
  answered(began: number): void {
    if (began < this.#lookedAt) return;
    this.#isAnswered = true;
    this.#shortUntil = -Infinity;
  }
}

/**
 * Gives what the first of several searches finds. A search asks one member after the other, in an order by chance, and waits
 * a second for one that is frozen.
 * @throws the fault of the first search when all fail.
 */
async function soonest(search: () => Promise<string>): Promise<string> {
  const searches = [search()];
  let found: string | undefined;
  while (found === undefined && searches.length < MOST_SEARCHES) {
    found = await Promise.race([anyOf(searches), delay(SEARCH_AGAIN_AFTER_MS, undefined)]);
    if (found === undefined) searches.push(search());
  }
  return found ?? anyOf(searches);
}

async function anyOf(searches: readonly Promise<string>[]): Promise<string> {
  return Promise.any(searches).catch(() => Promise.race(searches));
}

/** Makes a client. Clients of equal options share a connection. */
function connect(
  connectionString: string,
  options: Readonly<Record<string, string | number>>,
): EventStoreDBClient {
  const base = connectionString.replace(/\/+$/, '');
  const added = Object.entries(options).map(([name, value]) => `${name}=${value}`);
  if (!/[?&]gossipTimeout=/i.test(base)) added.push(GOSSIP_TIMEOUT);
  const separator = base.includes('?') ? '&' : '?';
  return survivable(made(`${base}${separator}${added.join('&')}`));
}

/** The settings check the string. The client also reads the files that it names. */
function made(connectionString: string): EventStoreDBClient {
  try {
    return EventStoreDBClient.connectionString(connectionString);
  } catch {
    // Its own words may hold a password, and name neither the setting nor the file.
    throw new Error(
      'the EventStoreDB client refuses EVENTSTOREDB_CONNECTION_STRING: perhaps a file that it names cannot be read',
    );
  }
}

/** The user of a connection string; a placeholder where there is none. */
export function credentialsOf(connectionString: string): Credentials {
  const [, username, password] = /^[^:]+:\/\/([^:@/]+):([^@/]+)@/.exec(connectionString) ?? [];
  if (username === undefined || password === undefined) return NOBODY;
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
}

/**
 * After a fault the client replaces its channel, without awaiting that. A failed discovery of the cluster, or an append that
 * begins on the closing channel, would then be an unhandled rejection and end the process. So the replacement waits for the
 * next turn of the event loop, when no call is half begun, and may fail.
 */
function survivable(client: EventStoreDBClient): EventStoreDBClient {
  const recover = Reflect.get(client, 'handleError') as (...fault: unknown[]) => Promise<void>;
  const later = async (...fault: unknown[]): Promise<void> => {
    setImmediate(() => {
      recover(...fault).catch(() => undefined);
    });
  };
  Reflect.set(client, 'handleError', later);
  return client;
}

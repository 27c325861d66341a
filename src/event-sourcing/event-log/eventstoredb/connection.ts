import { setTimeout as delay } from 'node:timers/promises';
import { type Credentials, EventStoreDBClient, UnavailableError } from '@eventstore/db-client';

/** Placeholder credentials, with which the client sends each append as a separate call. Only TLS servers get them. */
const NOBODY: Credentials = { username: 'nobody', password: 'nobody' };

/** The time limit, in seconds, for a cluster member to name the leader, unless the connection string sets another. */
const GOSSIP_TIMEOUT = 'gossipTimeout=1';
/** How long a search for the leader may take before another search begins beside it. */
const SEARCH_AGAIN_AFTER_MS = 50;
/**
 * The most searches at once. If one of three members is frozen, nearly half of the searches ask that member first, and
 * all 16 do so once in 300,000 times.
 */
const MOST_SEARCHES = 16;
/** How long an attempt may take after an earlier attempt got no answer. */
const SHORT_ATTEMPT_MS = 1_000;
/** How long attempts stay short. An election takes 5 to 8 s. After that, a slow server gets its full time again. */
const SHORT_FOR_MS = 10_000;
/** The time that a new connection has before it counts as silent. */
const YOUNG_MS = 500;

type Recover = (service: { getChannel(): unknown }, fault: unknown) => Promise<void>;

/**
 * A client with its connection to the leader. The client looks for another leader only when a connection breaks. With a
 * leader that is frozen or cut off, no connection breaks for 20 s. So callers report a call without an answer here.
 */
export class Connection {
  readonly client: EventStoreDBClient;
  #channel: unknown;
  #madeAt = -Infinity;
  #lookedAt = -Infinity;
  #shortUntil = -Infinity;
  #isAnswered = true;

  /**
   * @param options options of the client, which override the options in the connection string.
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

  /** Returns how long an attempt may take now, in milliseconds: `ms`, or less after a call without an answer. */
  patience(ms: number): number {
    return performance.now() < this.#shortUntil ? Math.min(ms, SHORT_ATTEMPT_MS) : ms;
  }

  /** Reports that a call had no answer. The client looks for the leader, unless it did so since the call began. */
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

  /** Reports that a call was answered. An answer to a call from before the last search for the leader is ignored. */
  answered(began: number): void {
    if (began < this.#lookedAt) return;
    this.#isAnswered = true;
    this.#shortUntil = -Infinity;
  }
}

/**
 * Returns the result of the first of several searches that succeeds. A search asks one member after the other, in
 * random order, and waits a second for a frozen member.
 * @throws the fault of the first search when all searches fail.
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

/** Makes a client. Clients with equal options share a connection. */
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

/** Makes a client from a checked connection string. This may fail, as the client reads files that the string names. */
function made(connectionString: string): EventStoreDBClient {
  try {
    return EventStoreDBClient.connectionString(connectionString);
  } catch {
    // The message of the client may contain a password, and names neither the setting nor the file.
    throw new Error(
      'the EventStoreDB client refuses EVENTSTOREDB_CONNECTION_STRING: perhaps a file that it names cannot be read',
    );
  }
}

/** Returns the user and password in a connection string, or placeholders if the string has none. */
export function credentialsOf(connectionString: string): Credentials {
  const [, username, password] = /^[^:]+:\/\/([^:@/]+):([^@/]+)@/.exec(connectionString) ?? [];
  if (username === undefined || password === undefined) return NOBODY;
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
}

/**
 * Changes a client so that no fault ends the process. After a fault the client replaces its channel without an `await`.
 * A failed discovery of the cluster, or an append that begins on the closing channel, would be an unhandled rejection.
 * So the replacement waits for the next turn of the event loop, when no call is half begun, and may fail.
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

import { type Credentials, EventStoreDBClient } from '@eventstore/db-client';

/** What a call needs for the client to send it by itself; a server without TLS is never told. */
const NOBODY: Credentials = { username: 'nobody', password: 'nobody' };

/**
 * Makes a client. Clients of equal options share a connection.
 * @param options added to those of the connection string, and stronger.
 */
export function connect(
  connectionString: string,
  options: Readonly<Record<string, string | number>> = {},
): EventStoreDBClient {
  const base = connectionString.replace(/\/+$/, '');
  const added = Object.entries(options).map(([name, value]) => `${name}=${value}`);
  const separator = base.includes('?') ? '&' : '?';
  const all = added.length === 0 ? base : `${base}${separator}${added.join('&')}`;
  return survivable(made(all));
}

/** The settings let through what the client takes, but it also reads the files that are named. */
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

/** The user of a connection string, or one that stands for nobody. */
export function credentialsOf(connectionString: string): Credentials {
  const [, username, password] = /^[^:]+:\/\/([^:@/]+):([^@/]+)@/.exec(connectionString) ?? [];
  if (username === undefined || password === undefined) return NOBODY;
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
}

/**
 * After a fault the client replaces its channel, and nobody waits for that: a discovery of the cluster that fails
 * meanwhile, or an append that is just beginning on the channel that is closed, would be an unhandled rejection and
 * the end of the process. So it is done between turns of the event loop, where no call is half begun, and may fail.
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

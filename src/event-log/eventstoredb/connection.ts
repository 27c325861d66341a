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
  const added = Object.entries(options).map(([name, value]) => `${name}=${value}`);
  const base = connectionString.replace(/\/+$/, '');
  const separator = base.includes('?') ? '&' : '?';
  return survivable(
    EventStoreDBClient.connectionString(
      [base, ...added].join(separator).replace(/(\?[^?]*)\?/g, '$1&'),
    ),
  );
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

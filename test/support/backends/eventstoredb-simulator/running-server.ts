import type { EventStoreDBClient } from '@eventstore/db-client';
import { afterAll, beforeAll } from '@jest/globals';
import type { EventStoreDbServer } from '../eventstoredb-server.js';
import { Clients } from './real-client.js';

/** A server with a client. */
export interface RunningServer<Server extends EventStoreDbServer> {
  readonly server: Server;
  readonly client: EventStoreDBClient;
  /** Makes further clients. */
  readonly clients: Clients;
  /** Replaces the client by a new one, which knows nothing of the server's past. */
  reconnect(): void;
}

/** The server of a suite. It starts before the first test and stops after the last one. */
export function runningServer<Server extends EventStoreDbServer>(
  start: () => Promise<Server>,
): RunningServer<Server> {
  const clients = new Clients();
  let started: { readonly server: Server; readonly client: EventStoreDBClient } | undefined;
  const running = (): { readonly server: Server; readonly client: EventStoreDBClient } => {
    if (!started) throw new Error('the server of a suite runs only while its tests do');
    return started;
  };
  const connect = (server: Server): void => {
    started = { server, client: clients.connect(server) };
  };
  beforeAll(async () => connect(await start()));
  afterAll(async () => {
    await clients.dispose();
    await started?.server.stop();
  });
  return {
    get server() {
      return running().server;
    },
    get client() {
      return running().client;
    },
    clients,
    reconnect: () => connect(running().server),
  };
}

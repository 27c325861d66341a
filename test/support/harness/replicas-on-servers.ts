import { afterAll, beforeAll } from '@jest/globals';
import { SimulatorProcess } from '../backends/eventstoredb-simulator/simulator-process.js';
import type { MongoDbServer } from '../backends/start-mongodb.js';
import type { HttpClient } from './http-client.js';
import { madeBy } from './made-by.js';
import { startApp, type StartedApp } from './running-app.js';

/** Services that share a log server and a MongoDB. */
export interface ReplicasOnServers {
  readonly log: SimulatorProcess;
  readonly settings: Readonly<Record<'EVENTSTOREDB_CONNECTION_STRING' | 'MONGODB_URI', string>>;
  readonly replicas: readonly StartedApp[];
  readonly first: StartedApp;
  /** A client of each replica, with the management key of the first. */
  readonly clients: readonly HttpClient[];
}

/** Gives the replicas of a `describe`: they start before the first test and stop after the last. */
export function replicasOnServers(
  count: number,
  store: () => MongoDbServer,
  environment: Readonly<Record<string, string>> = {},
): ReplicasOnServers {
  const servers = madeBy(beforeAll, async () => {
    const log = await SimulatorProcess.start({ pace: 'real' });
    const settings = {
      EVENTSTOREDB_CONNECTION_STRING: log.connectionString,
      MONGODB_URI: store().freshUri(),
    };
    const first = await startApp({ ...environment, ...settings });
    const replicas = [first];
    while (replicas.length < count) replicas.push(await startApp({ ...environment, ...settings }));
    const clients = replicas.map(({ client }) => client.as(first.managementKey));
    return { log, settings, replicas, first, clients };
  });
  afterAll(async () => {
    for (const replica of servers.replicas) await replica.stop();
    await servers.log.stop();
  });
  return servers;
}

import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import type { EventStoreDbServer } from '../backends/eventstoredb-server.js';
import type { MongoDbServer } from '../backends/start-mongodb.js';
import { databaseBytes, directoryBytes, logBytes } from './stored-bytes.js';
import { makeTempDirectory } from './temp-directory.js';

/** Both stores are files in a data directory, or both are servers. */
export type Form = 'embedded' | 'cluster';

/** The form of the backends of the suites, which `TEST_FORM` chooses. */
export const FORM = chosenForm();

/** An event log and a read store for a service and for the command line beside it. */
export interface Backends {
  /** The settings of a service on these backends, as environment variables. */
  readonly settings: Readonly<Record<string, string>>;
  /** An empty directory at first. On servers the service must leave it empty. */
  readonly dataDir: string;
  /** The server of the event log. Absent for an embedded log. */
  readonly logServer?: EventStoreDbServer;
  /** Gives everything that both stores hold, for a search. */
  bytes(): Promise<Buffer>;
  /** Empties the read store. No service may use it meanwhile. */
  deleteReadModels(): Promise<void>;
  dispose(): Promise<void>;
}

/** Makes empty backends of the chosen form. */
export function freshBackends(): Promise<Backends> {
  return FORM === 'embedded' ? embeddedBackends() : clusterBackends();
}

async function embeddedBackends(): Promise<Backends> {
  const directory = makeTempDirectory();
  const dataDir = directory.path;
  return {
    settings: { DATA_DIR: dataDir },
    dataDir,
    bytes: async () => directoryBytes(dataDir),
    async deleteReadModels() {
      rmSync(join(dataDir, 'read-models'), { recursive: true });
    },
    async dispose() {
      directory.remove();
    },
  };
}

// One MongoDB serves a whole test file, with a database for each read store.
let mongoDb: Promise<MongoDbServer> | undefined;
const usersOfServers: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const stop of usersOfServers) await stop();
  await (await mongoDb)?.stop();
});

/** Calls a function at the end of the test file, before the servers of the backends stop. */
export function beforeServersStop(stop: () => Promise<void>): void {
  usersOfServers.push(stop);
}

async function clusterBackends(): Promise<Backends> {
  // Loading these modules searches for programs and may build one, and loading their clients takes
  // time.
  const { startEventStoreDb } = await import('../backends/start-eventstoredb.js');
  const { startMongoDb } = await import('../backends/start-mongodb.js');
  const directory = makeTempDirectory();
  const uri = (await (mongoDb ??= startMongoDb())).freshUri();
  // Each log has a simulator of its own: starting one is as fast as wiping one. On a given server
  // each log has a prefix.
  const server = await startEventStoreDb({ pace: 'real' });
  return {
    settings: {
      DATA_DIR: directory.path,
      EVENTSTOREDB_CONNECTION_STRING: server.connectionString,
      ...(!server.isSimulator && { EVENTSTOREDB_STREAM_PREFIX: freshPrefix() }),
      MONGODB_URI: uri,
    },
    dataDir: directory.path,
    logServer: server,
    bytes: async () =>
      Buffer.concat([await logBytes(server.connectionString), await databaseBytes(uri)]),
    deleteReadModels: () => dropDatabase(uri),
    async dispose() {
      await server.stop();
      await dropDatabase(uri);
      directory.remove();
    },
  };
}

function freshPrefix(): string {
  return `test_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
}

async function dropDatabase(uri: string): Promise<void> {
  const { MongoClient } = await import('mongodb');
  const client = new MongoClient(uri);
  try {
    await client.db().dropDatabase();
  } finally {
    await client.close();
  }
}

function chosenForm(): Form {
  const wanted = process.env.TEST_FORM || 'embedded';
  if (wanted === 'embedded' || wanted === 'cluster') return wanted;
  throw new Error(`TEST_FORM takes embedded or cluster, not ${wanted}`);
}

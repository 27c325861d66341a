import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import type { EventStoreDbServer } from '../backends/eventstoredb-server.js';
import type { MongoDbServer } from '../backends/start-mongodb.js';
import { databaseBytes, directoryBytes, logBytes } from './stored-bytes.js';
import { makeTempDirectory } from './temp-directory.js';

/** The backends of the suites, which `TEST_EVENT_LOG` and `TEST_READ_STORE` choose in any combination. */
export const CHOSEN = {
  eventLog: chosen('TEST_EVENT_LOG', ['sqlite', 'eventstoredb']),
  readStore: chosen('TEST_READ_STORE', ['sqlite', 'mongodb']),
} as const;

export type Choice = typeof CHOSEN;

type Variables = Readonly<Record<string, string>>;

interface Fresh {
  /** The settings of a service on this backend, as environment variables. */
  readonly settings: Variables;
  /** Gives everything that the backend stores, for a search. */
  bytes(): Promise<Buffer>;
  dispose(): Promise<void>;
}

interface FreshEventLog extends Fresh {
  /** Absent for an embedded log. */
  readonly server?: EventStoreDbServer;
}

interface FreshReadStore extends Fresh {
  /** Empties the read store. No service may use it meanwhile. */
  deleteReadModels(): Promise<void>;
}

/** An event log and a read store for a service and for the command line beside it. */
export interface Backends {
  readonly settings: Variables;
  readonly dataDir: string;
  readonly eventLog: FreshEventLog;
  readonly readStore: FreshReadStore;
  dispose(): Promise<void>;
}

/** Makes empty backends of the chosen kinds. */
export async function freshBackends(): Promise<Backends> {
  const directory = makeTempDirectory();
  const dataDir = directory.path;
  const readStore = await freshReadStore(dataDir);
  const eventLog = await freshEventLog(dataDir);
  return {
    settings: { DATA_DIR: dataDir, ...eventLog.settings, ...readStore.settings },
    dataDir,
    eventLog,
    readStore,
    async dispose() {
      await eventLog.dispose();
      await readStore.dispose();
      directory.remove();
    },
  };
}

// Loading the modules of the servers searches for programs and may build one, and loading their clients takes time, so all
// are imported on demand.

async function freshEventLog(dataDir: string): Promise<FreshEventLog> {
  if (CHOSEN.eventLog === 'sqlite') {
    return {
      settings: {},
      bytes: async () => directoryBytes(dataDir, 'events.db'),
      dispose: withItsDirectory,
    };
  }
  const { startEventStoreDb } = await import('../backends/start-eventstoredb.js');
  // Each log has a simulator of its own: starting one is as fast as wiping one. On a given server each log has a prefix.
  const server = await startEventStoreDb({ pace: 'real' });
  return {
    settings: {
      EVENTSTOREDB_CONNECTION_STRING: server.connectionString,
      ...(!server.isSimulator && { EVENTSTOREDB_STREAM_PREFIX: freshPrefix() }),
    },
    server,
    bytes: () => logBytes(server.connectionString),
    dispose: () => server.stop(),
  };
}

function freshPrefix(): string {
  return `test_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
}

async function withItsDirectory(): Promise<void> {
  // Removing the data directory removes the log.
}

let mongoDb: Promise<MongoDbServer> | undefined;

async function freshReadStore(dataDir: string): Promise<FreshReadStore> {
  if (CHOSEN.readStore === 'sqlite') {
    const directory = join(dataDir, 'read-models');
    return {
      settings: {},
      bytes: async () => directoryBytes(directory),
      async deleteReadModels() {
        rmSync(directory, { recursive: true });
      },
      dispose: withItsDirectory,
    };
  }
  const { startMongoDb } = await import('../backends/start-mongodb.js');
  const uri = (await (mongoDb ??= startMongoDb())).freshUri();
  const drop = (): Promise<void> => dropDatabase(uri);
  return {
    settings: { MONGODB_URI: uri },
    bytes: () => databaseBytes(uri),
    deleteReadModels: drop,
    dispose: drop,
  };
}

// One server serves a whole test file, with a database for each read store.
if (CHOSEN.readStore === 'mongodb') afterAll(async () => (await mongoDb)?.stop());

async function dropDatabase(uri: string): Promise<void> {
  const { MongoClient } = await import('mongodb');
  const client = new MongoClient(uri);
  try {
    await client.db().dropDatabase();
  } finally {
    await client.close();
  }
}

function chosen<Kind extends string>(variable: string, kinds: readonly [Kind, ...Kind[]]): Kind {
  const wanted = process.env[variable];
  if (wanted === undefined || wanted === '') return kinds[0];
  const kind = kinds.find((known) => known === wanted);
  if (kind === undefined) throw new Error(`${variable} takes ${kinds.join(' or ')}, not ${wanted}`);
  return kind;
}

import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { MongoClient } from 'mongodb';
import type { EventStoreDbServer } from '../backends/eventstoredb-server.js';
import type { MongoDbServer } from '../backends/start-mongodb.js';
import { databaseBytes, directoryBytes, logBytes } from './stored-bytes.js';
import { makeTempDirectory } from './temp-directory.js';

/** What the suites run on: `TEST_EVENT_LOG` and `TEST_READ_STORE` choose it, in any combination. */
export const CHOSEN = {
  eventLog: chosen('TEST_EVENT_LOG', ['sqlite', 'eventstoredb']),
  readStore: chosen('TEST_READ_STORE', ['sqlite', 'mongodb']),
} as const;

export type Choice = typeof CHOSEN;

type Variables = Readonly<Record<string, string>>;

interface Fresh {
  /** All that a service needs to find it, as environment variables. */
  readonly settings: Variables;
  /** Everything that is stored in it, to be searched. */
  bytes(): Promise<Buffer>;
  dispose(): Promise<void>;
}

interface FreshEventLog extends Fresh {
  /** Absent where the log is embedded. */
  readonly server?: EventStoreDbServer;
}

interface FreshReadStore extends Fresh {
  /** Leaves it as empty as it was; nothing may use it meanwhile. */
  deleteReadModels(): Promise<void>;
}

/** An event log and a read store of its own for a service and for the command line beside it. */
export interface Backends {
  readonly settings: Variables;
  readonly dataDir: string;
  readonly eventLog: FreshEventLog;
  readonly readStore: FreshReadStore;
  dispose(): Promise<void>;
}

/** Backends of the chosen kinds in which nothing was ever stored. */
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

// The modules of the servers look for programs as they are loaded, and may build one: so only where they are needed.

async function freshEventLog(dataDir: string): Promise<FreshEventLog> {
  if (CHOSEN.eventLog === 'sqlite') {
    return {
      settings: {},
      bytes: async () => directoryBytes(dataDir, 'events.db'),
      dispose: withItsDirectory,
    };
  }
  const { startEventStoreDb } = await import('../backends/start-eventstoredb.js');
  // The log is all of a simulator; to wipe one takes as long as to start another. On a server that is there it has a prefix.
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
  // It is gone when the data directory is.
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

// One server serves a whole file, in a database for each that asks.
if (CHOSEN.readStore === 'mongodb') afterAll(async () => (await mongoDb)?.stop());

async function dropDatabase(uri: string): Promise<void> {
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

import {
  type Db,
  type DbOptions,
  MongoClient,
  type MongoClientOptions,
  ReadConcern,
} from 'mongodb';

const DEFAULT_DATABASE = 'keyledger';

/** The options of the client. Their time limits keep a lost or frozen server from holding up a request. */
const OPTIONS: MongoClientOptions = {
  appName: 'keyledger',
  maxPoolSize: 20,
  maxConnecting: 4,
  connectTimeoutMS: 2_000,
  // A failed heartbeat shows that a server is frozen, and ends the calls that wait for the server.
  heartbeatFrequencyMS: 1_000,
  serverSelectionTimeoutMS: 2_500,
  waitQueueTimeoutMS: 2_500,
  socketTimeoutMS: 8_000,
  retryReads: true,
  retryWrites: true,
  // The driver looks for a primary when it connects, whatever the options of the database say.
  readPreference: 'primary',
};

/** The concerns that the read store relies on. As options of the client, `w=1` in the URI would override them. */
const GUARANTEES: DbOptions = {
  readConcern: new ReadConcern('majority'),
  writeConcern: { w: 'majority', journal: true },
};

/** Makes a client that connects at its first call. @throws when the driver refuses the URI, without text of the URI. */
export function createClient(uri: string): MongoClient {
  return accepted(() => new MongoClient(uri, OPTIONS));
}

/** Returns the database in a URI, or the default. @throws when the driver refuses the name, without text of the URI. */
export function databaseOf(client: MongoClient, uri: string): Db {
  const [, named] = /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(uri) ?? [];
  const name = named === undefined ? DEFAULT_DATABASE : decodeURIComponent(named);
  return accepted(() => client.db(name, GUARANTEES));
}

function accepted<Made>(make: () => Made): Made {
  try {
    return make();
  } catch {
    // The message of the driver may contain a password.
    throw new Error(
      'the MongoDB driver refuses the form, the options or the database name of MONGODB_URI',
    );
  }
}

import {
  type Db,
  type DbOptions,
  MongoClient,
  type MongoClientOptions,
  ReadConcern,
} from 'mongodb';

const DEFAULT_DATABASE = 'keyledger';

/** An answer is awaited no longer than this: a server that is lost or frozen must not hold up a request. */
const OPTIONS: MongoClientOptions = {
  appName: 'keyledger',
  maxPoolSize: 20,
  maxConnecting: 4,
  connectTimeoutMS: 2_000,
  // A heartbeat that fails shows that a server froze, and ends the calls that wait for it.
  heartbeatFrequencyMS: 1_000,
  serverSelectionTimeoutMS: 2_500,
  waitQueueTimeoutMS: 2_500,
  socketTimeoutMS: 8_000,
  retryReads: true,
  retryWrites: true,
  // The driver looks for such a member when it connects, whatever the database asks for.
  readPreference: 'primary',
};

/** The promises of the read store rest on these. In the options of a client, `w=1` or its like in the URI would win. */
const GUARANTEES: DbOptions = {
  readConcern: new ReadConcern('majority'),
  writeConcern: { w: 'majority', journal: true },
};

/** Opens nothing yet: the first call does. @throws when the driver refuses the URI, without a word of it. */
export function createClient(uri: string): MongoClient {
  return accepted(() => new MongoClient(uri, OPTIONS));
}

/** The database that a URI names, else ours. @throws when the driver refuses the name, without a word of the URI. */
export function databaseOf(client: MongoClient, uri: string): Db {
  const [, named] = /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(uri) ?? [];
  const name = named === undefined ? DEFAULT_DATABASE : decodeURIComponent(named);
  return accepted(() => client.db(name, GUARANTEES));
}

function accepted<Made>(make: () => Made): Made {
  try {
    return make();
  } catch {
    // The words of the driver may hold a password.
    throw new Error(
      'the MongoDB driver refuses the form, the options or the database name of MONGODB_URI',
    );
  }
}

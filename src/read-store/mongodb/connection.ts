import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';

const DEFAULT_DATABASE = 'keyledger';

/** An answer is looked for no longer than this; a server that is lost or frozen must not hold up a request. */
const OPTIONS: MongoClientOptions = {
  appName: 'keyledger',
  maxPoolSize: 20,
  maxConnecting: 4,
  connectTimeoutMS: 2_000,
  // It also tells that a server froze, and lets go of those who wait for it.
  heartbeatFrequencyMS: 1_000,
  serverSelectionTimeoutMS: 2_500,
  waitQueueTimeoutMS: 2_500,
  socketTimeoutMS: 8_000,
  retryReads: true,
  retryWrites: true,
  readPreference: 'primary',
  readConcern: { level: 'majority' },
  writeConcern: { w: 'majority', journal: true },
};

/** Opens nothing yet: the first question does. @throws when the URI is none, without a word of it. */
export function createClient(uri: string): MongoClient {
  return accepted(() => new MongoClient(uri, OPTIONS));
}

/** The database that a URI names, else ours. @throws when it cannot be called that, without a word of the URI. */
export function databaseOf(client: MongoClient, uri: string): Db {
  const [, named] = /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(uri) ?? [];
  return accepted(() =>
    client.db(named === undefined ? DEFAULT_DATABASE : decodeURIComponent(named)),
  );
}

function accepted<Made>(make: () => Made): Made {
  try {
    return make();
  } catch {
    // Its own words may hold a password.
    throw new Error(
      'the MongoDB driver refuses the form, the options or the database name of MONGODB_URI',
    );
  }
}

import { Connection } from './connection.js';

/** A MongoDB server, as it describes itself. */
export interface MongoDbServerInfo {
  readonly version: string;
  /** The server's time when it answered; null when the answer has no time. */
  readonly clock: Date | null;
}

/** Asks the primary for its version and time. @throws Unavailable when a call is not answered within 10 s. */
export async function askMongoDb(uri: string): Promise<MongoDbServerInfo> {
  const connection = new Connection(uri);
  try {
    const { version } = await connection.call(() => connection.db.command({ buildInfo: 1 }));
    const { localTime } = await connection.call(() => connection.db.command({ hello: 1 }));
    return {
      version: String(version),
      clock: localTime instanceof Date ? localTime : null,
    };
  } finally {
    await connection.close();
  }
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Gives the bytes of every file below a directory whose name begins with `prefix`. */
export function directoryBytes(directory: string, prefix = ''): Buffer {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true });
  const paths = files
    .filter((file) => file.isFile() && file.name.startsWith(prefix))
    .map((file) => join(file.parentPath, file.name));
  return Buffer.concat(paths.map((path) => readFileSync(path)));
}

/**
 * Gives every event of an EventStoreDB, system events included, with stream, type, data and
 * metadata.
 */
export async function logBytes(connectionString: string): Promise<Buffer> {
  const { EventStoreDBClient } = await import('@eventstore/db-client');
  const client = EventStoreDBClient.connectionString(connectionString);
  try {
    const parts: Buffer[] = [];
    for await (const { event } of client.readAll()) {
      if (!event) continue;
      const { streamId, type, data, metadata } = event;
      for (const part of [streamId, type, data, metadata]) parts.push(bytesOf(part));
    }
    return Buffer.concat(parts);
  } finally {
    await client.dispose();
  }
}

/**
 * Gives every document of every collection of a MongoDB database, with the names of the
 * collections.
 */
export async function databaseBytes(uri: string): Promise<Buffer> {
  const { BSON, MongoClient } = await import('mongodb');
  const client = new MongoClient(uri);
  try {
    const parts: Uint8Array[] = [];
    for (const collection of await client.db().collections()) {
      parts.push(Buffer.from(collection.collectionName));
      for await (const document of collection.find()) parts.push(BSON.serialize(document));
    }
    return Buffer.concat(parts);
  } finally {
    await client.close();
  }
}

function bytesOf(part: unknown): Buffer {
  return Buffer.from(part instanceof Uint8Array ? part : JSON.stringify(part ?? null));
}

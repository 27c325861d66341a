import type { MongoClient } from 'mongodb';

/**
 * Counts the connections that a client has lost or closed. Between two answers with none in between the server was the
 * same; else another one may have given the second, such as an empty one in the place of one that was lost.
 */
export function countBreaks(client: Pick<MongoClient, 'on'>): () => number {
  let breaks = 0;
  const count = (): void => {
    breaks += 1;
  };
  client.on('connectionClosed', count);
  client.on('connectionPoolCleared', count);
  client.on('connectionPoolClosed', count);
  return () => breaks;
}

import gossip from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { promisify } from 'node:util';
import { appendHandler } from './append.js';
import { gossipHandler } from './gossip.js';
import type { Database } from './database.js';
import type { Faults } from './faults.js';
import type { View } from './membership.js';
import { readHandler } from './read-handler.js';
import { tombstoneHandler } from './tombstone.js';

export const HOST = '127.0.0.1';
/** The limits of a real server for one message and for one connection. */
const LIMITS = {
  'grpc.max_receive_message_length': 16 * 1024 * 1024 - 10_000,
  'grpc.max_concurrent_streams': 100,
};

/**
 * Serves the database at a port. @param view the description of the cluster. @throws when the port
 * is taken.
 */
export async function serve(
  database: Database,
  faults: Faults,
  port: number,
  view: () => View,
): Promise<Server> {
  const server = new Server(LIMITS);
  const { read, append, tombstone } = streams.StreamsService;
  const encodedOnce = { ...read, responseSerialize: (bytes: Buffer) => bytes };
  server.addService(
    { read: encodedOnce, append, tombstone },
    {
      read: readHandler(database, faults),
      append: appendHandler(database, faults),
      tombstone: tombstoneHandler(database),
    },
  );
  server.addService(gossip.GossipService, { read: gossipHandler(HOST, view) });
  const bind = promisify(server.bindAsync.bind(server));
  await bind(`${HOST}:${port}`, ServerCredentials.createInsecure());
  return server;
}

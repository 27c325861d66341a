import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The responses that a server still owes. */
export interface ResponsesInFlight {
  /** Of one connection, oldest first. */
  of(socket: Socket): ServerResponse[];
  /** Of each connection that is owed any, oldest first. */
  byConnection(): ServerResponse[][];
}

const trackers = new WeakMap<Server, ResponsesInFlight>();

/** A response is in flight from its request on, whatever listens first, until all of it was sent or nobody takes it. */
export function responsesInFlight(server: Server): ResponsesInFlight {
  const tracker = trackers.get(server) ?? track(server);
  trackers.set(server, tracker);
  return tracker;
}

function track(server: Server): ResponsesInFlight {
  const owed = new Map<Socket, Set<ServerResponse>>();
  server.prependListener('request', ({ socket }, response) => {
    const responses = owed.get(socket) ?? new Set();
    // One that waits for those before it may never be told that its connection is closed.
    if (!owed.has(socket)) socket.once('close', () => owed.delete(socket));
    owed.set(socket, responses.add(response));
    response.once('close', () => responses.delete(response));
  });
  const of = (socket: Socket): ServerResponse[] => [...(owed.get(socket) ?? [])];
  return { of, byConnection: () => [...owed.keys()].map(of).filter(({ length }) => length > 0) };
}

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The responses in flight of a server. */
export interface ResponsesInFlight {
  /** Returns the responses in flight of a connection, the oldest first. */
  of(socket: Socket): ServerResponse[];
  /** Returns one list for each connection with responses in flight, the oldest response first. */
  byConnection(): ServerResponse[][];
}

const trackers = new WeakMap<Server, ResponsesInFlight>();

/**
 * Returns the tracker of a server's responses in flight. A response is in flight from its request until the response is
 * sent or the connection closes. The first call must come before the first request.
 */
export function responsesInFlight(server: Server): ResponsesInFlight {
  const tracker = trackers.get(server) ?? track(server);
  trackers.set(server, tracker);
  return tracker;
}

function track(server: Server): ResponsesInFlight {
  const owed = new Map<Socket, Set<ServerResponse>>();
  server.prependListener('request', ({ socket }, response) => {
    const responses = owed.get(socket) ?? new Set();
    // A response that waits for an earlier one may get no close event when its connection closes.
    if (!owed.has(socket)) socket.once('close', () => owed.delete(socket));
    owed.set(socket, responses.add(response));
    response.once('close', () => responses.delete(response));
  });
  const of = (socket: Socket): ServerResponse[] => [...(owed.get(socket) ?? [])];
  return { of, byConnection: () => [...owed.keys()].map(of).filter(({ length }) => length > 0) };
}

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Gives what makes every answer from then on the last of its connection, those under way included, so that whoever
 * keeps connections open goes elsewhere by itself.
 */
export function lastAnswersOf(server: Server): () => void {
  const newest = new Map<Socket, ServerResponse>();
  let areLast = false;
  server.prependListener('request', ({ socket }, response) => {
    const before = newest.get(socket);
    // Not with each response: a stream has as many listeners as Node counts without a warning.
    if (!newest.has(socket)) socket.once('close', () => newest.delete(socket));
    newest.set(socket, response);
    if (!areLast) return;
    // What was sent without awaiting the answer before is to be answered as well.
    if (before?.headersSent === false) before.removeHeader('Connection');
    response.setHeader('Connection', 'close');
  });
  return () => {
    areLast = true;
    for (const response of newest.values()) {
      if (!response.headersSent) response.setHeader('Connection', 'close');
    }
  };
}

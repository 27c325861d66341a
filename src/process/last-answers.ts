import type { Server } from 'node:http';
import { responsesInFlight } from '../http/responses-in-flight.js';

/**
 * Returns a function that ends kept-alive connections: from its call on, each connection closes after the next answer,
 * or after the answer in flight. So clients with open connections move to other replicas before the process ends.
 */
export function lastAnswersOf(server: Server): () => void {
  const inFlight = responsesInFlight(server);
  let areLast = false;
  server.prependListener('request', ({ socket }, response) => {
    if (!areLast) return;
    // A pipelined request must get its answer too, so the answer before must not close the connection.
    const before = inFlight.of(socket).at(-1);
    if (before?.headersSent === false) before.removeHeader('Connection');
    response.setHeader('Connection', 'close');
  });
  return () => {
    areLast = true;
    for (const responses of inFlight.byConnection()) {
      const newest = responses.at(-1);
      if (newest?.headersSent === false) newest.setHeader('Connection', 'close');
    }
  };
}

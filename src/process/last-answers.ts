import type { Server } from 'node:http';
import { responsesInFlight } from '../http/responses-in-flight.js';

/**
 * Gives what makes every answer from then on the last of its connection, those under way included, so that whoever
 * keeps connections open goes elsewhere by itself.
 */
export function lastAnswersOf(server: Server): () => void {
  const inFlight = responsesInFlight(server);
  let areLast = false;
  server.prependListener('request', ({ socket }, response) => {
    if (!areLast) return;
    // What was sent without awaiting the answer before is to be answered as well.
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

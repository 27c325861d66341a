import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of a connection that may wait behind the one that is answered. No client that is known sends more ahead. */
const MOST_WAITING = 100;

/**
 * Hands a connection's requests on one after another, each when the one before is answered and the answer is sent. Node
 * hands on at once what came in one packet, so that somebody who reads nothing could have hundreds of answers made and
 * held in memory. A connection with more waiting is closed.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, (() => void)[]>();
  return (request, response) => {
    const { socket } = request;
    const answer = (): void => {
      response.once('close', () => {
        const next = socket.destroyed ? undefined : queues.get(socket)?.shift();
        if (next) next();
        else queues.delete(socket);
      });
      listener(request, response);
    };
    const queue = queues.get(socket);
    if (!queue) {
      queues.set(socket, []);
      answer();
    } else if (queue.length < MOST_WAITING) {
      queue.push(answer);
    } else {
      socket.destroy();
    }
  };
}

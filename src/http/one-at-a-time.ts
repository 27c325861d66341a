import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** The maximum number of pipelined requests that wait on a connection. No known client sends more requests. */
const MOST_WAITING = 100;

/**
 * Makes a listener that handles the requests of a connection one after another, each when the previous answer is sent.
 * Node emits all pipelined requests at once, so a client that reads nothing could fill the memory with answers. A
 * connection with too many waiting requests is closed.
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

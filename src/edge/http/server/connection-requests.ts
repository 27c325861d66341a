import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The maximum number of requests of a connection in work: begun, and not answered yet. */
const MOST_IN_WORK = 8;

class ConnectionRequests {
  readonly #inWork = new Set<ServerResponse>();
  /** Begins the requests that wait, in order of arrival. They all arrived in one chunk. */
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly socket: Socket) {
    socket.once('close', () => this.#closeAll());
    // Node resumes a connection at the end of each request and each time an answer is sent.
    socket.on('resume', () => {
      if (this.#waiting.length > 0) socket.pause();
    });
  }

  add(response: ServerResponse, begin: () => void): void {
    if (this.#inWork.size === MOST_IN_WORK) {
      this.#waiting.push(() => this.add(response, begin));
      this.socket.pause();
      return;
    }
    this.#inWork.add(response);
    response.once('close', () => {
      this.#inWork.delete(response);
      this.#beginNext();
    });
    begin();
  }

  #beginNext(): void {
    const beginWaiting = this.#waiting.shift();
    if (!beginWaiting || this.socket.destroyed) return;
    beginWaiting();
    if (this.#waiting.length === 0) this.socket.resume();
  }

  /** Closes the answers that wait behind another one. Node closes only the one that it sends. */
  #closeAll(): void {
    for (const response of this.#inWork) {
      if (response.socket !== null || response.writableFinished) continue;
      response.destroy();
      response.emit('close');
    }
  }
}

/**
 * Bounds how many requests of a connection are in work at once, and does not read the connection
 * while others wait (docs/api.md 1.6). Every answer that began emits `close`, at the latest when
 * its connection closes.
 */
export function boundedByConnection(listener: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, ConnectionRequests>();
  return (request, response) => {
    const { socket } = request;
    const connection = connections.get(socket) ?? new ConnectionRequests(socket);
    connections.set(socket, connection);
    connection.add(response, () => listener(request, response));
  };
}

import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The maximum number of requests of a connection in work: begun, and not answered yet. */
const MOST_IN_WORK = 8;
/** The maximum number of requests that wait on all connections: 1.7 KB each, 2,000 in a chunk. */
const MOST_WAITING = 10_000;

/** The connections on which requests wait, and the number of these requests. */
class WaitingRequests {
  readonly #connections = new Set<ConnectionRequests>();
  #count = 0;

  /** Adds a request. Beyond the maximum, drops the connection on which most requests wait. */
  add(connection: ConnectionRequests): void {
    this.#connections.add(connection);
    this.#count += 1;
    if (this.#count <= MOST_WAITING) return;
    let greatest = connection;
    for (const other of this.#connections) {
      if (other.waitingCount > greatest.waitingCount) greatest = other;
    }
    greatest.drop();
  }

  remove(connection: ConnectionRequests, count: number): void {
    this.#count -= count;
    if (connection.waitingCount === 0) this.#connections.delete(connection);
  }
}

class ConnectionRequests {
  readonly #inWork = new Set<ServerResponse>();
  /** Begins the requests that wait, in order of arrival. They all arrived in one chunk. */
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly socket: Socket,
    private readonly allWaiting: WaitingRequests,
  ) {
    socket.once('close', () => {
      this.drop();
      this.#closeAll();
    });
    // Node resumes a connection at the end of each request and each time an answer is sent.
    socket.on('resume', () => {
      if (this.#waiting.length > 0) socket.pause();
    });
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  add(response: ServerResponse, begin: () => void): void {
    // The chunk in which a connection is dropped may bring many more.
    if (this.socket.destroyed) return;
    if (this.#inWork.size === MOST_IN_WORK) {
      this.#waiting.push(() => this.add(response, begin));
      this.socket.pause();
      this.allWaiting.add(this);
      return;
    }
    this.#inWork.add(response);
    response.once('close', () => {
      this.#inWork.delete(response);
      this.#beginNext();
    });
    begin();
  }

  /** Closes the connection without an answer to the requests that wait. */
  drop(): void {
    const count = this.#waiting.length;
    this.#waiting.length = 0;
    this.allWaiting.remove(this, count);
    this.socket.destroy();
  }

  #beginNext(): void {
    const beginWaiting = this.#waiting.shift();
    if (!beginWaiting) return;
    this.allWaiting.remove(this, 1);
    if (this.socket.destroyed) return;
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
 * while others wait (docs/api.md 1.6). A chunk that was read may have brought thousands, so all
 * that wait have a bound too. Every answer that began emits `close`, at the latest when
 * its connection closes.
 */
export function boundedByConnection(listener: RequestListener): RequestListener {
  const allWaiting = new WaitingRequests();
  const connections = new WeakMap<Socket, ConnectionRequests>();
  return (request, response) => {
    const { socket } = request;
    const connection = connections.get(socket) ?? new ConnectionRequests(socket, allWaiting);
    connections.set(socket, connection);
    connection.add(response, () => listener(request, response));
  };
}

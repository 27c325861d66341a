import { once } from 'node:events';
import { connect, type Server } from 'node:net';
import { promisify } from 'node:util';

/** A TCP connection to the service, for requests that no HTTP client sends. */
export interface RawConnection {
  send(text: string | Buffer): void;
  /** Gives the text that the service has sent so far. */
  readonly received: () => string;
  /** Resolves when the connection is closed, also by a reset. */
  readonly closed: Promise<unknown>;
  /** Reads no more of what the service sends. */
  pause(): void;
  destroy(): void;
}

export async function openRawConnection(address: string): Promise<RawConnection> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  // A reset closes the connection too.
  socket.on('error', () => undefined);
  return {
    send: (chunk) => void socket.write(chunk),
    received: () => text,
    closed: new Promise((resolve) => socket.once('close', resolve)),
    pause: () => void socket.pause(),
    destroy: () => void socket.destroy(),
  };
}

/** Gives the number of connections that a server has open. */
export function openConnections(server: Server): Promise<number> {
  return promisify(server.getConnections.bind(server))();
}

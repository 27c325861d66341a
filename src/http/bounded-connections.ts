import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { plainAddress } from './networks.js';
import { onTheWire, rawAnswer } from './raw-answer.js';

const TOO_MANY = rawAnswer('too-many-connections', 'Service Unavailable');

/** The limits of open connections of a server: in all and for each address. */
export interface ConnectionBounds {
  readonly inAll: number;
  readonly ofAddress: number;
  /** Whether an address is a trusted proxy, which `ofAddress` does not limit. */
  readonly isTrusted: (address: string) => boolean;
}

/**
 * Bounds the connections of a server (docs/api.md 1.6): `inAll` in total, and `ofAddress` from one address. A connection
 * beyond `inAll` is closed without an answer. A connection beyond `ofAddress` gets a 503, which a client that has already
 * sent a request might not receive.
 * @param onRefused is called for each refused connection, with the limit that the connection exceeds.
 */
export function boundConnections(
  server: Server,
  { inAll, ofAddress, isTrusted }: ConnectionBounds,
  onRefused: (bound: 'all' | 'address') => void,
): void {
  server.maxConnections = inAll;
  server.on('drop', () => onRefused('all'));
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    // A connection that is already broken has no address.
    if (socket.remoteAddress === undefined) return;
    const address = plainAddress(socket.remoteAddress);
    if (isTrusted(address)) return;
    const count = (open.get(address) ?? 0) + 1;
    if (count > ofAddress) {
      onRefused('address');
      socket.write(onTheWire(TOO_MANY, randomUUID()));
      socket.destroySoon();
      return;
    }
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 0) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}

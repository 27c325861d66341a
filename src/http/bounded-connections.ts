import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { errorBody } from './error-body.js';
import { FAULT_TABLE } from './error-table.js';
import { plainAddress } from './networks.js';

/** How many connections a server takes at once. */
export interface ConnectionBounds {
  readonly inAll: number;
  /** Of one address. */
  readonly ofAddress: number;
  /** Whether an address may have any number, as a proxy in front does. */
  readonly isTrusted: (address: string) => boolean;
}

/**
 * Bounds the connections of a server (docs/api.md 1.6). One beyond all of them is closed without an answer, one beyond
 * those of its address with 503, which reaches whoever has not sent a request yet.
 * @param onRefused told of each connection that is refused, and by which bound.
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
    // A connection that broke already has no address.
    if (socket.remoteAddress === undefined) return;
    const address = plainAddress(socket.remoteAddress);
    if (isTrusted(address)) return;
    const count = (open.get(address) ?? 0) + 1;
    if (count > ofAddress) {
      onRefused('address');
      refuse(socket);
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

function refuse(socket: Socket): void {
  const told = { reason: 'too-many-connections', ...FAULT_TABLE['too-many-connections'] } as const;
  const body = JSON.stringify(errorBody(told, {}));
  socket.write(
    `HTTP/1.1 ${told.status} Service Unavailable\r\n` +
      'Content-Type: application/json; charset=utf-8\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  socket.destroySoon();
}

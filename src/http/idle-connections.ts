import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Closes a connection that had no request for `idleMs`, unless an unread request has arrived. After a pause of the
 * process Node runs timers before it reads, so Node alone would close connections with unread requests.
 */
export function closeIdleConnections(server: Server, idleMs: number): void {
  server.keepAliveTimeout = idleMs;
  server.on('timeout', (socket: Socket) => {
    const { bytesRead } = socket;
    // Node reads what has arrived before it runs setImmediate callbacks.
    setImmediate(() => {
      if (socket.bytesRead === bytesRead) socket.destroy();
    });
  });
}

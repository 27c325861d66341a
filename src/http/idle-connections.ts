import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Closes a connection on which no request has come for `idleMs`, but not one on which a request waits to be read. A
 * process that stood still, or was busy, has its timers run first; left to itself Node closes at that point, and the
 * request gets no answer.
 */
export function closeIdleConnections(server: Server, idleMs: number): void {
  server.keepAliveTimeout = idleMs;
  server.on('timeout', (socket: Socket) => {
    const { bytesRead } = socket;
    // Comes after what has arrived was read.
    setImmediate(() => {
      if (socket.bytesRead === bytesRead) socket.destroy();
    });
  });
}

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { responsesInFlight } from './responses-in-flight.js';

/** The number of successive checks without progress after which a connection is cut off. */
const LOOKS = 8;

/** The progress of a connection, and the number of checks without progress. */
interface Progress {
  readonly acknowledged: number;
  readonly queued: number;
  readonly looks: number;
}

/**
 * Cuts a connection off when its client reads nothing of an answer for `unreadMs` (docs/api.md 1.6). Node's time-out of
 * a socket does not help, because bytes from the client reset that time-out. The code counts checks instead of
 * time, so that a pause of the process cuts no client off.
 * @param onCutOff is called for each connection that is cut off.
 */
export function cutOffUnreadAnswers(server: Server, unreadMs: number, onCutOff: () => void): void {
  const inFlight = responsesInFlight(server);
  const seen = new WeakMap<Socket, Progress>();
  const look = (socket: Socket): void => {
    if (socket.writableLength === 0) {
      seen.delete(socket);
      return;
    }
    const acknowledged = socket.bytesWritten - socket.writableLength;
    const queued = queuedBytes(socket);
    const before = seen.get(socket);
    const isStill = before?.acknowledged === acknowledged && before.queued === queued;
    const looks = isStill ? before.looks + 1 : 0;
    seen.set(socket, { acknowledged, queued, looks });
    if (looks < LOOKS) return;
    onCutOff();
    socket.destroy();
  };
  const sweep = setInterval(() => {
    for (const [oldest] of inFlight.byConnection()) if (oldest) look(oldest.req.socket);
  }, unreadMs / LOOKS).unref();
  server.once('close', () => clearInterval(sweep));
}

/** Returns how many bytes of a write the operating system has not accepted. Node has no public API for this number. */
export function queuedBytes(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  if (typeof handle !== 'object' || handle === null || !('writeQueueSize' in handle)) return 0;
  return Number(handle.writeQueueSize);
}

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { responsesInFlight } from './responses-in-flight.js';

/** How often an answer is looked at before it is cut off. */
const LOOKS = 8;

/** How far an answer has been taken, and for how many looks it has been there. */
interface Progress {
  readonly acknowledged: number;
  readonly queued: number;
  readonly looks: number;
}

/**
 * Cuts a connection off when none of an answer has been taken for `unreadMs` (docs/api.md 1.6). Node's own time-out of a
 * socket will not do: what its client sends counts as activity too. Looks are counted, and no time, so that a process
 * that stood still cuts nobody off.
 * @param onCutOff told of each.
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

/** Bytes of what is being written that the system has not taken. Node has no public name for them. */
export function queuedBytes(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  if (typeof handle !== 'object' || handle === null || !('writeQueueSize' in handle)) return 0;
  return Number(handle.writeQueueSize);
}

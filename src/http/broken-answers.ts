import type { Response } from 'express';

const broken = new WeakSet<Response>();

/** Notes that an answer that has begun is broken off by a fault of the service. */
export function noteBroken(response: Response): void {
  broken.add(response);
}

/** How an answer ended, once it has: whole, broken off by the service, or given up by whoever asked. */
export function endOf(response: Response): 'whole' | 'broken' | 'aborted' {
  // To Node an answer is finished as well when its connection is lost, as nothing of it is left to send.
  if (response.writableFinished && !response.req.socket.destroyed) return 'whole';
  return broken.has(response) ? 'broken' : 'aborted';
}

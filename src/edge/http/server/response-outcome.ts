import type { Response } from 'express';

const broken = new WeakSet<Response>();

/** Records that a fault broke off an answer that had begun. `outcomeOf` then returns `broken`. */
export function noteBroken(response: Response): void {
  broken.add(response);
}

/** Returns how an answer ended: complete, broken off by the service, or left by the client. */
export function outcomeOf(response: Response): 'whole' | 'broken' | 'aborted' {
  // Node counts an answer as finished also when its connection is lost.
  if (response.writableFinished && !response.req.socket.destroyed) return 'whole';
  return broken.has(response) ? 'broken' : 'aborted';
}

import type { Response } from 'express';

const broken = new WeakSet<Response>();

/** Notes that an answer that has begun is broken off by a fault of the service. */
export function noteBroken(response: Response): void {
  broken.add(response);
}

/** How an answer ended, once it has: whole, broken off by the service, or given up by whoever asked. */
export function endOf(response: Response): 'whole' | 'broken' | 'aborted' {
  if (response.writableFinished) return 'whole';
  return broken.has(response) ? 'broken' : 'aborted';
}

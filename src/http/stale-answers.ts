import { AsyncLocalStorage } from 'node:async_hooks';
import type { NextFunction, Request, Response } from 'express';

/** On an answer that may lack writes which were answered before (docs/api.md 6.3). */
export const STALE_HEADER = 'Keyledger-Stale';

const responses = new AsyncLocalStorage<Response>();

/** Remembers which response a read belongs to, for as long as it is worked on. */
export function rememberResponse(_: Request, response: Response, next: NextFunction): void {
  responses.run(response, next);
}

/** Marks the answer of the request that is worked on. */
export function markStale(): void {
  const response = responses.getStore();
  if (response && !response.headersSent) response.setHeader(STALE_HEADER, 'true');
}

import type { CallHandler } from '@nestjs/common';
import type { Response } from 'express';
import { finalize, type Observable } from 'rxjs';

/**
 * Passes a request to its handler.
 * @param ended is called once, when both the handler and the answer have ended. A handler continues after its caller
 * has disconnected, and an answer uses memory until the answer is sent.
 */
export function handOn(
  response: Response,
  next: CallHandler,
  ended: () => void,
): Observable<unknown> {
  let remaining = 2;
  const end = (): void => {
    remaining -= 1;
    if (remaining === 0) ended();
  };
  // A response that is closed emits no further close event.
  if (response.destroyed) remaining = 1;
  else response.once('close', end);
  return next.handle().pipe(finalize(end));
}

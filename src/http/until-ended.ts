import type { CallHandler } from '@nestjs/common';
import type { Response } from 'express';
import { finalize, type Observable } from 'rxjs';

/**
 * Hands a request on, and tells when it has ended: its handler has, and its answer is sent or given up. Both count, as a
 * handler goes on after its caller has left, and an answer takes memory until it is taken.
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
  // After its close a response tells nothing any more.
  if (response.destroyed) remaining = 1;
  else response.once('close', end);
  return next.handle().pipe(finalize(end));
}

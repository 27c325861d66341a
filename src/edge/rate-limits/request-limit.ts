import type { CallHandler } from '@nestjs/common';
import type { Response } from 'express';
import { catchError, type Observable, throwError } from 'rxjs';
import type { Clock } from '../../kernel/clock.js';
import { Refusal } from '../../kernel/errors.js';
import type { FixedWindow, FixedWindows, WindowLimit } from './fixed-windows.js';

/** The number of requests that a window allows; `off` for no limit. */
export type RequestRate = WindowLimit | 'off';

/** The name of a limit, in the error and in the metrics. */
export type LimitName = 'key-creation' | 'writes';

/** A limit of requests with its windows. */
export interface RequestLimit {
  readonly name: LimitName;
  readonly rate: WindowLimit;
  readonly windows: FixedWindows;
  readonly clock: Clock;
  /** The answers that have the `RateLimit-` headers. */
  readonly announced: 'always' | 'when-refused';
}

/**
 * Counts a request of `id`, and calls `next` if the limit grants it. A request that `next` refuses does not count.
 * @throws Refusal when the window is used up.
 */
export function passLimited(
  limit: RequestLimit,
  id: string,
  response: Response,
  next: CallHandler,
): Observable<unknown> {
  const isAnnounced = limit.announced === 'always';
  const { granted, window } = limit.windows.use(id, limit.rate, limit.clock.now());
  if (isAnnounced || !granted) announce(response, limit, window);
  if (!granted) {
    response.setHeader('Retry-After', secondsLeft(limit, window));
    throw new Refusal('rate-limited', { limit: limit.name });
  }
  return next.handle().pipe(
    catchError((error: unknown) => {
      // After any other error the outcome is unknown, so the request counts.
      const left = error instanceof Refusal ? limit.windows.giveBack(id, window) : undefined;
      if (left && isAnnounced) announce(response, limit, left);
      return throwError(() => error);
    }),
  );
}

function announce(response: Response, limit: RequestLimit, window: FixedWindow): void {
  response.setHeader('RateLimit-Limit', limit.rate.count);
  response.setHeader('RateLimit-Remaining', Math.max(0, limit.rate.count - window.used));
  response.setHeader('RateLimit-Reset', secondsLeft(limit, window));
}

function secondsLeft({ clock }: RequestLimit, { endsAt }: FixedWindow): number {
  return Math.max(1, Math.ceil((endsAt.getTime() - clock.now().getTime()) / 1_000));
}

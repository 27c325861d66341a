import type { CallHandler } from '@nestjs/common';
import type { Response } from 'express';
import { catchError, type Observable } from 'rxjs';
import type { Clock } from '../kernel/clock.js';
import { Refusal } from '../kernel/errors.js';
import type { FixedWindow, WindowLimit } from './fixed-windows.js';
import type { UseCounter } from './use-counter.js';

/** The number of requests that a window allows; `off` for no limit. */
export type RequestRate = WindowLimit | 'off';

/** The name of a limit, in the error and in the metrics. */
export type LimitName = 'key-creation' | 'writes';

/** A limit of requests with its counter. */
export interface RequestLimit {
  readonly name: LimitName;
  readonly rate: WindowLimit;
  readonly counter: UseCounter;
  readonly clock: Clock;
  /** The answers that have the `RateLimit-` headers. */
  readonly announced: 'always' | 'when-refused';
}

/**
 * Counts a request of `id`, and calls `next` if the limit grants it. A request that `next` refuses does not count.
 * @throws Refusal when the window is used up.
 */
export async function passLimited(
  limit: RequestLimit,
  id: string,
  response: Response,
  next: CallHandler,
): Promise<Observable<unknown>> {
  const isAnnounced = limit.announced === 'always';
  const use = await limit.counter.use(id, limit.rate, limit.clock.now());
  if (isAnnounced || !use.granted) announce(response, limit, use.window);
  if (!use.granted) {
    response.setHeader('Retry-After', secondsLeft(limit, use.window));
    throw new Refusal('rate-limited', { limit: limit.name });
  }
  return next.handle().pipe(
    catchError(async (error: unknown) => {
      // After any other error the outcome is unknown, so the request counts.
      const left = error instanceof Refusal ? await use.giveBack() : undefined;
      if (left && isAnnounced) announce(response, limit, left);
      throw error;
    }),
  );
}

function announce(response: Response, limit: RequestLimit, window: FixedWindow): void {
  response.setHeader('RateLimit-Limit', limit.rate.count);
  response.setHeader('RateLimit-Remaining', Math.max(0, limit.rate.count - window.used));
  response.setHeader('RateLimit-Reset', secondsLeft(limit, window));
}

/** Returns the seconds left in a window, at most the whole window, because another replica's clock may be ahead. */
function secondsLeft({ rate, clock }: RequestLimit, { endsAt }: FixedWindow): number {
  const left = Math.ceil((endsAt.getTime() - clock.now().getTime()) / 1_000);
  return Math.min(rate.seconds, Math.max(1, left));
}

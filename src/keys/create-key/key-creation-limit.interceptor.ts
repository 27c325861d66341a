import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { catchError, type Observable } from 'rxjs';
import { Refusal } from '../../kernel/errors.js';

/** So many creations in so many seconds for each management key, or no limit. */
export type KeyCreationLimit = { readonly count: number; readonly seconds: number } | 'off';

export const KEY_CREATION_LIMIT = Symbol('KeyCreationLimit');

/**
 * Limits how many keys a management key creates in a window (docs/api.md 3.6) and says on every answer what
 * is left. A request that creates nothing is given back.
 */
@Injectable()
export class KeyCreationLimitInterceptor implements NestInterceptor {
  readonly #limit: KeyCreationLimit;
  readonly #limiter: RateLimiterMemory | null;

  constructor(@Inject(KEY_CREATION_LIMIT) limit: KeyCreationLimit) {
    this.#limit = limit;
    this.#limiter =
      limit === 'off'
        ? null
        : new RateLimiterMemory({ points: limit.count, duration: limit.seconds });
  }

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const limiter = this.#limiter;
    if (!limiter) return next.handle();
    const http = context.switchToHttp();
    const response = http.getResponse<Response>();
    const key = http.getRequest<Request>().caller?.keyHash ?? '';
    const taken = await this.#take(limiter, key, response);
    const windowEnds = Date.now() + taken.msBeforeNext;
    return next.handle().pipe(
      catchError(async (error: unknown) => {
        // Given back after its window it would be one more in the next.
        if (Date.now() < windowEnds) this.#announce(response, await limiter.reward(key));
        throw error;
      }),
    );
  }

  async #take(
    limiter: RateLimiterMemory,
    key: string,
    response: Response,
  ): Promise<RateLimiterRes> {
    try {
      const taken = await limiter.consume(key);
      this.#announce(response, taken);
      return taken;
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      // The limiter counts what it refuses too; only creations are to count.
      await limiter.reward(key);
      this.#announce(response, refused);
      response.setHeader('Retry-After', secondsLeft(refused));
      throw new Refusal('rate-limited');
    }
  }

  #announce(response: Response, state: RateLimiterRes): void {
    if (this.#limit === 'off') return;
    response.setHeader('RateLimit-Limit', this.#limit.count);
    response.setHeader('RateLimit-Remaining', Math.max(0, state.remainingPoints));
    response.setHeader('RateLimit-Reset', secondsLeft(state));
  }
}

function secondsLeft(state: RateLimiterRes): number {
  return Math.max(1, Math.ceil(state.msBeforeNext / 1000));
}

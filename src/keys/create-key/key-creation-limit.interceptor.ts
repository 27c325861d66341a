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
    this.#announce(response, await this.#consume(limiter, key, response));
    return next.handle().pipe(
      catchError(async (error: unknown) => {
        this.#announce(response, await limiter.reward(key));
        throw error;
      }),
    );
  }

  async #consume(
    limiter: RateLimiterMemory,
    key: string,
    response: Response,
  ): Promise<RateLimiterRes> {
    try {
      return await limiter.consume(key);
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
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

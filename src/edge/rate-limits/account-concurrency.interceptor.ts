import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Observable, of } from 'rxjs';
import { holdingSlot, KeyedSemaphore, type Release } from './keyed-semaphore.js';

const MOST_AT_ONCE = 64;

declare module 'express' {
  interface Request {
    /** Frees the slot of the request. A request in work holds one of the `MOST_AT_ONCE` slots of its account. */
    releaseSlot?: Release;
  }
}

/**
 * Bounds how many requests of an account the service handles at once. Further requests of the account wait in order
 * (docs/api.md 2.10). So a thousand connections of one account take no capacity from other accounts.
 */
@Injectable()
export class AccountConcurrencyInterceptor implements NestInterceptor {
  readonly #semaphore = new KeyedSemaphore(MOST_AT_ONCE);

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const account = request.caller?.accountId;
    if (account === undefined) return next.handle();
    const response = http.getResponse<Response>();
    const release = await this.#semaphore.acquire(account);
    if (response.destroyed) {
      // The caller has disconnected.
      release();
      return of(undefined);
    }
    request.releaseSlot = release;
    return holdingSlot(release, response, next);
  }
}

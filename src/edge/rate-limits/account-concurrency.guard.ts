import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { holdSlot, KeyedSemaphore, type Release } from './keyed-semaphore.js';

const MOST_AT_ONCE = 64;

declare module 'express' {
  interface Request {
    /** Frees the slot, one of the `MOST_AT_ONCE` of the account, that a request in work holds. */
    releaseSlot?: Release;
  }
}

/** Names the requests that a route shares its slots with, if not with all the rest. */
export const SlotsOf = Reflector.createDecorator<'verifications' | 'usage-reports' | undefined>();

/**
 * Bounds how many requests of an account the service handles at once. Further requests of the
 * account wait in order (docs/api.md 2.10). So a thousand connections of one account take no
 * capacity from other accounts. It runs after the body was read: a slow sender holds no slot.
 */
@Injectable()
export class AccountConcurrencyGuard implements CanActivate {
  readonly #slots = {
    verifications: new KeyedSemaphore(MOST_AT_ONCE),
    'usage-reports': new KeyedSemaphore(MOST_AT_ONCE),
    rest: new KeyedSemaphore(MOST_AT_ONCE),
  };

  constructor(private readonly reflector: Reflector) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const account = request.caller?.accountId;
    if (account === undefined) return true;
    const response = http.getResponse<Response>();
    const slots = this.#slots[this.reflector.get(SlotsOf, context.getHandler()) ?? 'rest'];
    const release = await slots.acquire(account, response);
    request.releaseBodyRoom?.();
    // The caller has left.
    if (!release) return false;
    request.releaseSlot = release;
    response.once('handled', holdSlot(release, response));
    return true;
  }
}

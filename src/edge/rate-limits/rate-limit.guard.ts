import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { Refusal } from '../../kernel/errors.js';
import { HttpRefusal } from '../http/answers/http-refusal.js';
import type { Caller } from '../http/callers/caller.js';
import { VerificationRoute } from '../http/callers/key.guard.js';
import { type FixedWindow, FixedWindows, type WindowLimit } from './fixed-windows.js';

export type RequestRate = WindowLimit | 'off';

/** The rate of each limit, by the name that errors and metrics have for it. */
export interface RequestRates {
  /** The changing requests of an account (docs/api.md 2.10). */
  readonly writes: RequestRate;
  /** The creations of a management key (docs/api.md 3.6). Answers say how much of it is left. */
  readonly 'key-creation': RequestRate;
  /** The usage reports of an account (docs/api.md 13.1). Answers say how much of it is left. */
  readonly usage: RequestRate;
}

export const REQUEST_RATES = Symbol('RequestRates');

type LimitName = keyof RequestRates;

/** Names the limit that counts the requests of a route, besides that of writes. */
export const RateLimit = Reflector.createDecorator<Exclude<LimitName, 'writes'> | undefined>();

/** Marks a route on which a refused request counts towards the limits too (docs/api.md 2.10). */
export const CountsRefusals = Reflector.createDecorator<true | undefined>();

const WRITING_METHODS = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Counts requests before their bodies are read, and refuses those beyond a limit. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  readonly #windows = {
    writes: new FixedWindows(),
    'key-creation': new FixedWindows(),
    usage: new FixedWindows(),
  };

  constructor(
    @Inject(REQUEST_RATES) private readonly rates: RequestRates,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (!request.caller) return true;
    const handler = context.getHandler();
    const named = this.reflector.get(RateLimit, handler);
    const refusalsCount = this.reflector.get(CountsRefusals, handler) === true;
    // A usage report has a limit of its own.
    const isWrite =
      WRITING_METHODS.has(request.method) &&
      named !== 'usage' &&
      !this.reflector.get(VerificationRoute, handler);
    const response = http.getResponse<Response>();
    if (isWrite) this.#count('writes', request.caller, response, refusalsCount);
    if (named) this.#count(named, request.caller, response, refusalsCount);
    return true;
  }

  /**
   * Counts a request. If it is refused later, it does not count, unless `refusalsCount`, or the
   * refusal says that a change is stored.
   * @throws Refusal when the window is used up.
   */
  #count(
    name: LimitName,
    { accountId, keyHash }: Caller,
    response: Response,
    refusalsCount: boolean,
  ): void {
    const rate = this.rates[name];
    if (rate === 'off') return;
    const id = name === 'key-creation' ? keyHash : accountId;
    const isAnnounced = name !== 'writes';
    const { granted, window } = this.#windows[name].use(id, rate, this.clock.now());
    if (isAnnounced || !granted) this.#announce(response, rate, window);
    if (!granted) {
      const headers = { 'Retry-After': String(this.#secondsLeft(window)) };
      throw new HttpRefusal('rate-limited', { headers }, { limit: name });
    }
    response.once('failed', (error: unknown) => {
      if (changedNothing(error) && !refusalsCount) window.used -= 1;
      if (isAnnounced) this.#announce(response, rate, window);
    });
  }

  #announce(response: Response, { count }: WindowLimit, window: FixedWindow): void {
    response.setHeader('RateLimit-Limit', count);
    response.setHeader('RateLimit-Remaining', Math.max(0, count - window.used));
    response.setHeader('RateLimit-Reset', this.#secondsLeft(window));
  }

  #secondsLeft({ endsAt }: FixedWindow): number {
    return Math.max(1, Math.ceil((endsAt.getTime() - this.clock.now().getTime()) / 1_000));
  }
}

/** Whether an error says that nothing was changed. After any other, something may have been. */
function changedNothing(error: unknown): boolean {
  return error instanceof Refusal && error.code !== 'stored-usage-unknown';
}

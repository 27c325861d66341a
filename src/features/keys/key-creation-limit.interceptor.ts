import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { FixedWindows } from '../../edge/rate-limits/fixed-windows.js';
import {
  passLimited,
  type RequestLimit,
  type RequestRate,
} from '../../edge/rate-limits/request-limit.js';

/** The injection token of the rate at which each management key may create API keys. */
export const KEY_CREATION_LIMIT = Symbol('KeyCreationLimit');

/**
 * Limits how many keys a management key creates in a window (docs/api.md 3.6). Every answer says in `RateLimit-*`
 * headers how much of the window is left. Throws a Refusal when the window is used up.
 */
@Injectable()
export class KeyCreationLimitInterceptor implements NestInterceptor {
  readonly #windows = new FixedWindows();

  constructor(
    @Inject(KEY_CREATION_LIMIT) private readonly rate: RequestRate,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { rate, clock } = this;
    if (rate === 'off') return next.handle();
    const http = context.switchToHttp();
    const key = http.getRequest<Request>().caller?.keyHash ?? '';
    const limit: RequestLimit = {
      name: 'key-creation',
      rate,
      windows: this.#windows,
      clock,
      announced: 'always',
    };
    return passLimited(limit, key, http.getResponse<Response>(), next);
  }
}

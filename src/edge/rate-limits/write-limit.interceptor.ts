import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { isVerificationRoute } from '../http/requests/verification-route.js';
import type { Clock } from '../../kernel/clock.js';
import { FixedWindows, type WindowLimit } from './fixed-windows.js';
import { passLimited, type RequestLimit } from './request-limit.js';

const WRITING_METHODS = new Set(['POST', 'PATCH', 'DELETE']);

/**
 * Limits how many changing requests an account makes in a window (docs/api.md 2.10). A request is counted
 * before its body is read.
 */
export class WriteLimitInterceptor implements NestInterceptor {
  readonly #limit: RequestLimit;

  constructor(rate: WindowLimit, clock: Clock) {
    this.#limit = {
      name: 'writes',
      rate,
      windows: new FixedWindows(),
      clock,
      announced: 'when-refused',
    };
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const { caller, method } = http.getRequest<Request>();
    if (!caller || !WRITING_METHODS.has(method) || isVerificationRoute(context))
      return next.handle();
    return passLimited(this.#limit, caller.accountId, http.getResponse<Response>(), next);
  }
}

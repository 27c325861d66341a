import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import { finalize, type Observable } from 'rxjs';
import { Refusal } from '../kernel/errors.js';

/** The maximum number of verification requests in progress at the same time. A batch counts as one request. */
const MOST_AT_ONCE = 1_000;

/** Limits the verification requests in progress in this process (docs/api.md 12.2). Runs after the body is read. */
@Injectable()
export class VerificationSlots implements NestInterceptor {
  #taken = 0;

  /** @throws Refusal when no slot is free. */
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (this.#taken >= MOST_AT_ONCE) throw new Refusal('too-many-verifications');
    this.#taken += 1;
    return next.handle().pipe(finalize(() => (this.#taken -= 1)));
  }
}

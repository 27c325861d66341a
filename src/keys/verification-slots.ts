import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import { finalize, type Observable } from 'rxjs';
import { Refusal } from '../kernel/errors.js';

/** Requests for verifications that are in work at once; a batch is one. */
const MOST_AT_ONCE = 1_000;

/** Bounds how many verifications are in work at once in this process (docs/api.md 12.2). It stands after the body. */
@Injectable()
export class VerificationSlots implements NestInterceptor {
  #taken = 0;

  /** @throws Refusal when all are taken. */
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (this.#taken >= MOST_AT_ONCE) throw new Refusal('too-many-verifications');
    this.#taken += 1;
    return next.handle().pipe(finalize(() => (this.#taken -= 1)));
  }
}

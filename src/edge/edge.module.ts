import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { CLOCK, type Clock } from '../kernel/clock.js';
import { KeyGuard } from './http/callers/key.guard.js';
import { JsonBodyGuard } from './http/requests/json-body.guard.js';
import { AccountConcurrencyGuard } from './rate-limits/account-concurrency.guard.js';
import { RateLimitGuard } from './rate-limits/rate-limit.guard.js';
import { StreamSlots } from './rate-limits/stream-limit.interceptor.js';

/** Runs before every route: finds the caller, applies limits, and reads the body (ADR 9). */
@Global()
@Module({
  providers: [
    { provide: CLOCK, useValue: { now: () => new Date() } satisfies Clock },
    // The order of the guards is the order of the checks (README.md).
    KeyGuard,
    { provide: APP_GUARD, useExisting: KeyGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: JsonBodyGuard },
    // A request takes a slot when its body is there.
    { provide: APP_GUARD, useClass: AccountConcurrencyGuard },
    StreamSlots,
  ],
  exports: [CLOCK, KeyGuard, StreamSlots],
})
export class EdgeModule {}

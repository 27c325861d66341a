import { Global, Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { CLOCK, type Clock } from '../kernel/clock.js';
import { KeyGuard } from './http/callers/key.guard.js';
import { JsonBodyInterceptor } from './http/requests/json-body.interceptor.js';
import { AccountConcurrencyInterceptor } from './rate-limits/account-concurrency.interceptor.js';
import { RateLimitInterceptor } from './rate-limits/rate-limit.interceptor.js';
import { StreamSlots } from './rate-limits/stream-limit.interceptor.js';

/** Runs before every route: finds the caller, applies limits, and reads the body (ADR 9). */
@Global()
@Module({
  providers: [
    { provide: CLOCK, useValue: { now: () => new Date() } satisfies Clock },
    // The order of the interceptors is the order of the checks (README.md).
    KeyGuard,
    { provide: APP_GUARD, useExisting: KeyGuard },
    { provide: APP_INTERCEPTOR, useClass: RateLimitInterceptor },
    { provide: APP_INTERCEPTOR, useClass: JsonBodyInterceptor },
    // A request takes a slot when its body is there.
    { provide: APP_INTERCEPTOR, useClass: AccountConcurrencyInterceptor },
    StreamSlots,
  ],
  exports: [CLOCK, KeyGuard, StreamSlots],
})
export class EdgeModule {}

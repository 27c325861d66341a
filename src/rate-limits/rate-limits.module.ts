import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { CLOCK, type Clock } from '../kernel/clock.js';
import type { RequestRate } from './request-limit.js';
import { WriteLimitInterceptor } from './write-limit.interceptor.js';

/** The limits that hold on every route. */
@Module({})
export class RateLimitsModule {
  static register(writes: RequestRate): DynamicModule {
    // Without a limit no request passes an interceptor for it.
    const providers = writes === 'off' ? [] : [limitWrites(writes)];
    return { module: RateLimitsModule, providers };
  }
}

function limitWrites(rate: Exclude<RequestRate, 'off'>): Provider {
  return {
    provide: APP_INTERCEPTOR,
    useFactory: (clock: Clock) => new WriteLimitInterceptor(rate, clock),
    inject: [CLOCK],
  };
}

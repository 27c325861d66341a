import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import type { RequestRate } from './request-limit.js';
import { type StreamLimit, StreamSlots } from './stream-slots.js';
import { WriteLimitInterceptor } from './write-limit.interceptor.js';

/** Limits writes on every route, and provides the slots of streams. */
@Module({})
export class RateLimitsModule {
  static register(writes: RequestRate, streams: StreamLimit): DynamicModule {
    return {
      module: RateLimitsModule,
      global: true,
      providers: [
        // Without a limit requests pass no interceptor.
        ...(writes === 'off' ? [] : [limitWrites(writes)]),
        { provide: StreamSlots, useValue: new StreamSlots(streams) },
      ],
      exports: [StreamSlots],
    };
  }
}

function limitWrites(rate: Exclude<RequestRate, 'off'>): Provider {
  return {
    provide: APP_INTERCEPTOR,
    useFactory: (clock: Clock) => new WriteLimitInterceptor(rate, clock),
    inject: [CLOCK],
  };
}

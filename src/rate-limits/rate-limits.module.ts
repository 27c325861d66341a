import {
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { CLOCK, type Clock } from '../kernel/clock.js';
import type { OpenedReadStore } from '../read-store/open-read-store.js';
import { READ_STORE } from '../read-store/read-store.js';
import { SHARED_WINDOWS } from './fixed-windows.js';
import type { MongoDbFixedWindows } from './mongodb/mongodb-fixed-windows.js';
import type { RequestRate } from './request-limit.js';
import { type StreamLimit, StreamSlots } from './stream-slots.js';
import { WriteLimitInterceptor } from './write-limit.interceptor.js';

/** Limits writes on every route, and provides the slots of streams and the counts that replicas share. */
@Module({})
export class RateLimitsModule implements OnApplicationShutdown {
  constructor(@Inject(SHARED_WINDOWS) private readonly windows: MongoDbFixedWindows | null) {}

  static register(writes: RequestRate, streams: StreamLimit): DynamicModule {
    return {
      module: RateLimitsModule,
      global: true,
      providers: [
        // Without a limit requests pass no interceptor.
        ...(writes === 'off' ? [] : [limitWrites(writes)]),
        { provide: StreamSlots, useValue: new StreamSlots(streams) },
        { provide: SHARED_WINDOWS, useFactory: sharedWindows, inject: [READ_STORE] },
      ],
      exports: [StreamSlots, SHARED_WINDOWS],
    };
  }

  onApplicationShutdown(): void {
    this.windows?.close();
  }
}

async function sharedWindows({ database }: OpenedReadStore): Promise<MongoDbFixedWindows | null> {
  if (!database) return null;
  // Loaded only here, because the driver is large and embedded read models do not need it.
  const { MongoDbFixedWindows } = await import('./mongodb/mongodb-fixed-windows.js');
  return new MongoDbFixedWindows(database);
}

function limitWrites(rate: Exclude<RequestRate, 'off'>): Provider {
  return {
    provide: APP_INTERCEPTOR,
    useFactory: (clock: Clock) => new WriteLimitInterceptor(rate, clock),
    inject: [CLOCK],
  };
}

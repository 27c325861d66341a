import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { type OpenedReadStore, openReadStore, type ReadStorePlace } from './open-read-store.js';
import { type FixedWindows, SHARED_WINDOWS } from './fixed-windows.js';
import { READ_STORE, type ReadStore } from './read-store.js';

/** Provides the read store, and the counts that its processes share. */
@Module({})
export class ReadStoreModule implements OnApplicationShutdown {
  constructor(@Inject(READ_STORE) private readonly store: ReadStore) {}

  static register({ dataDir, mongodbUri }: ReadStorePlace): DynamicModule {
    return {
      module: ReadStoreModule,
      global: true,
      providers: [
        {
          provide: READ_STORE,
          useFactory: () => openReadStore({ dataDir, mongodbUri }),
        },
        {
          provide: SHARED_WINDOWS,
          useFactory: ({ windows }: OpenedReadStore): FixedWindows | null => windows ?? null,
          inject: [READ_STORE],
        },
      ],
      exports: [READ_STORE, SHARED_WINDOWS],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}

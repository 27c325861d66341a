import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { openReadStore, type ReadStorePlace } from './open-read-store.js';
import { READ_STORE, type ReadStore } from './read-store.js';

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
      ],
      exports: [READ_STORE],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}

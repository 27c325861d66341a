import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { openReadStore, READ_STORE_PLACE } from './open-read-store.js';
import { READ_STORE, type ReadStore } from './read-store.js';

@Global()
@Module({
  providers: [{ provide: READ_STORE, inject: [READ_STORE_PLACE], useFactory: openReadStore }],
  exports: [READ_STORE],
})
export class ReadStoreModule implements OnApplicationShutdown {
  constructor(@Inject(READ_STORE) private readonly store: ReadStore) {}

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}

import { join } from 'node:path';
import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { READ_STORE, type ReadStore } from './read-store.js';
import { SqliteReadStore } from './sqlite/sqlite-read-store.js';

/** Provides the read store. One of the two modules that name a backend. */
@Module({})
export class ReadStoreModule implements OnApplicationShutdown {
  constructor(@Inject(READ_STORE) private readonly store: ReadStore) {}

  static register(dataDir: string): DynamicModule {
    return {
      module: ReadStoreModule,
      global: true,
      providers: [{ provide: READ_STORE, useFactory: () => openStore(dataDir) }],
      exports: [READ_STORE],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}

function openStore(dataDir: string): ReadStore {
  const directory = join(dataDir, 'read-models');
  try {
    return new SqliteReadStore(directory);
  } catch (cause) {
    const problem = `the read models in ${directory} cannot be opened (deleted, they are folded anew)`;
    throw new Error(`${problem}: ${String(cause)}`, { cause });
  }
}

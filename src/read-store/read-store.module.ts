import { join } from 'node:path';
import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { MongoDbReadStore } from './mongodb/mongodb-read-store.js';
import { READ_STORE, type ReadStore } from './read-store.js';
import { SqliteReadStore } from './sqlite/sqlite-read-store.js';

export interface ReadStoreSettings {
  readonly dataDir: string;
  /** Absent: the read models are embedded. */
  readonly mongodbUri: string | undefined;
}

/** Provides the read store. One of the two modules that name a backend. */
@Module({})
export class ReadStoreModule implements OnApplicationShutdown {
  constructor(@Inject(READ_STORE) private readonly store: ReadStore) {}

  static register({ dataDir, mongodbUri }: ReadStoreSettings): DynamicModule {
    const open = () =>
      mongodbUri === undefined ? openEmbedded(dataDir) : new MongoDbReadStore(mongodbUri);
    return {
      module: ReadStoreModule,
      global: true,
      providers: [{ provide: READ_STORE, useFactory: open }],
      exports: [READ_STORE],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}

function openEmbedded(dataDir: string): ReadStore {
  const directory = join(dataDir, 'read-models');
  try {
    return new SqliteReadStore(directory);
  } catch (cause) {
    const problem = `the read models in ${directory} cannot be opened (deleted, they are folded anew)`;
    throw new Error(`${problem}: ${String(cause)}`, { cause });
  }
}

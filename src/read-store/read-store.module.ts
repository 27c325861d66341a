import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { openEmbeddedReadStore } from './embedded-read-store.js';
import { type FixedWindows, SHARED_WINDOWS } from './fixed-windows.js';
import { READ_STORE, type ReadStore } from './read-store.js';

export interface ReadStoreSettings {
  readonly dataDir: string;
  /** Absent: the read models are embedded. */
  readonly mongodbUri: string | undefined;
  /** Whether embedded read models are kept up to date by another thread of the process. */
  readonly foldedElsewhere: boolean;
}

/** Provides the read store, and the counts that its processes share. One of the two modules that name a backend. */
@Module({})
export class ReadStoreModule implements OnApplicationShutdown {
  constructor(@Inject(READ_STORE) private readonly store: ReadStore) {}

  static register({ dataDir, mongodbUri, foldedElsewhere }: ReadStoreSettings): DynamicModule {
    const open = () =>
      mongodbUri === undefined
        ? openEmbeddedReadStore(dataDir, foldedElsewhere ? 'reads' : 'folds')
        : openOnServer(mongodbUri);
    return {
      module: ReadStoreModule,
      global: true,
      providers: [
        { provide: READ_STORE, useFactory: open },
        {
          provide: SHARED_WINDOWS,
          useFactory: (store: ReadStore): FixedWindows | null => store.windows ?? null,
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

async function openOnServer(uri: string): Promise<ReadStore> {
  // Loaded only now: the driver is large, and embedded read models do without it.
  const { MongoDbReadStore } = await import('./mongodb/mongodb-read-store.js');
  return new MongoDbReadStore(uri);
}

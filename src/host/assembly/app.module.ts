import { Worker } from 'node:worker_threads';
import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../../features/accounts/accounts.module.js';
import { AuditTrailModule } from '../../features/audit-trail/audit-trail.module.js';
import { VerificationModule } from '../../features/verification/verification.module.js';
import { EndUsersModule } from '../../features/end-users/end-users.module.js';
import { EVENTS, MANAGEMENT } from './events-and-projections.js';
import { EventLogModule } from '../../event-sourcing/event-log/event-log.module.js';
import {
  type EmbeddedLogOptions,
  sharedSyncedRow,
  type SyncedRow,
} from '../../event-sourcing/event-log/sharing.js';
import { KeysModule } from '../../features/keys/keys.module.js';
import { OperationsModule } from '../monitoring/operations.module.js';
import type { ReadSide } from '../../event-sourcing/projections/read-side.js';
import { ProjectionsModule } from '../../event-sourcing/projections/projections.module.js';
import type { ProjectorData } from './projector-thread.js';
import { EdgeModule } from '../../edge/edge.module.js';
import { ReadStoreModule } from '../../event-sourcing/read-store/read-store.module.js';
import { type Settings, isEmbedded } from '../settings/settings.js';

/** The size of the folding thread's young generation. Several batches fit in, because a collection copies live ones. */
const YOUNG_GENERATION_MB = 16;

/** The parts that tests and programs may replace. */
export interface Composition {
  /** The read side of the service. Only tests pass another one, to check what a change of version does. */
  readonly readSide?: ReadSide;
  /** The program of the thread that folds read models. Without it, the application's own thread folds them. */
  readonly projector?: URL | undefined;
  readonly onUnsettled?: EmbeddedLogOptions['onUnsettled'];
}

/** The composition root, which wires the parts of the service according to the settings. */
@Module({})
export class AppModule {
  static register(
    settings: Settings,
    { readSide = MANAGEMENT, projector, onUnsettled }: Composition = {},
  ): DynamicModule {
    const accounts = AccountsModule.register(settings.quotas);
    const keys = KeysModule.register(settings.quotas.apiKeys, accounts);
    const synced = sharedSyncedRow();
    const beginThread = projector && (() => begin(projector, settings, synced));
    return {
      module: AppModule,
      imports: [
        CqrsModule.forRoot(),
        EventLogModule.register(
          {
            ...settings,
            sharing: projector && { as: 'appender', synced },
            onUnsettled,
          },
          EVENTS,
        ),
        ReadStoreModule.register(settings),
        ProjectionsModule.register(readSide, settings.readYourWritesTimeoutMs, beginThread),
        EdgeModule.register(
          { writes: settings.writeLimit, 'key-creation': settings.keyCreationLimit },
          settings.streamLimit,
        ),
        accounts,
        keys,
        EndUsersModule,
        AuditTrailModule,
        VerificationModule.register(
          accounts,
          keys,
          { eachRequest: isEmbedded(settings), maxStalenessMs: settings.verifyMaxStalenessMs },
          settings.publicUrl,
        ),
        OperationsModule.register(settings.operations !== undefined),
      ],
    };
  }
}

function begin(projector: URL, settings: Settings, synced: SyncedRow): Worker {
  const { dataDir, eventStoreDbConnectionString, eventStoreDbStreamPrefix, mongodbUri } = settings;
  const data: ProjectorData = {
    dataDir,
    eventStoreDbConnectionString,
    eventStoreDbStreamPrefix,
    mongodbUri,
    synced,
  };
  return new Worker(projector, {
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}

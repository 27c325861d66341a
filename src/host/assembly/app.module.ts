import { Worker } from 'node:worker_threads';
import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../../features/accounts/accounts.module.js';
import { AuditTrailModule } from '../../features/audit-trail/audit-trail.module.js';
import { VerificationModule } from '../../features/verification/verification.module.js';
import { EndUsersModule } from '../../features/end-users/end-users.module.js';
import { type LedgerName, LEDGERS } from '../ledgers/ledgers.js';
import {
  type Ledger,
  type LedgerTokens,
  MANAGEMENT,
  OPEN_LEDGERS,
  USAGE,
} from '../../event-sourcing/ledger.js';
import type { EventLogPlace } from '../../event-sourcing/event-log/open-event-log.js';
import type { ReadStorePlace } from '../../event-sourcing/read-store/open-read-store.js';
import {
  type EmbeddedLogOptions,
  sharedSyncedRow,
} from '../../event-sourcing/event-log/sharing.js';
import { KeysModule } from '../../features/keys/keys.module.js';
import { Metrics } from '../monitoring/metrics.js';
import { Readiness } from '../monitoring/readiness.js';
import type { ReadSide } from '../../event-sourcing/projections/read-side.js';
import { LedgerModule } from '../../event-sourcing/ledger.module.js';
import type { ProjectorData } from './projector-thread.js';
import { EdgeModule } from '../../edge/edge.module.js';
import { UsageModule } from '../../features/usage/usage.module.js';
import { ReadStoreModule } from '../../event-sourcing/read-store/read-store.module.js';
import { type Settings, isEmbedded } from '../settings/settings.js';

/** The size of the folding thread's young generation. Several batches fit in, because a collection copies live ones. */
const YOUNG_GENERATION_MB = 16;

/** The parts that tests and programs may replace. */
export interface Composition {
  /** The read side of management. Only tests pass another one, to check what a change of version does. */
  readonly readSide?: ReadSide;
  /** Gives the program of a thread that folds read models. Without it, the application's own thread folds them. */
  readonly projector?: (() => URL) | undefined;
  readonly onUnsettled?: EmbeddedLogOptions['onUnsettled'];
}

/** The composition root, which wires the parts of the service according to the settings. */
@Module({})
export class AppModule {
  static register(
    settings: Settings,
    { readSide = LEDGERS.management.readSide, projector, onUnsettled }: Composition = {},
  ): DynamicModule {
    const ledgerOf = (of: LedgerName, folded: ReadSide, tokens: LedgerTokens): DynamicModule => {
      const place = placeOf(of, settings);
      const synced = sharedSyncedRow();
      const sharing = projector && { as: 'appender' as const, synced };
      return LedgerModule.register(
        {
          place: { ...place, sharing, onUnsettled },
          events: LEDGERS[of].events,
          readSide: folded,
          timeoutMs: settings.READ_YOUR_WRITES_TIMEOUT,
          beginThread: projector && (() => begin(projector(), { ...place, of, synced })),
        },
        tokens,
      );
    };
    const accounts = AccountsModule.register({
      workspaces: settings.QUOTA_WORKSPACES,
      managementKeys: settings.QUOTA_MANAGEMENT_KEYS,
      members: settings.QUOTA_MEMBERS,
      workspaceMembers: settings.QUOTA_WORKSPACE_MEMBERS,
    });
    const keys = KeysModule.register(settings.QUOTA_API_KEYS, accounts);
    return {
      module: AppModule,
      imports: [
        CqrsModule.forRoot(),
        ReadStoreModule.register(placeOf('management', settings)),
        ledgerOf('management', readSide, MANAGEMENT),
        ledgerOf('usage', LEDGERS.usage.readSide, USAGE),
        EdgeModule.register(
          {
            writes: settings.RATE_LIMIT_WRITES,
            'key-creation': settings.RATE_LIMIT_KEY_CREATION,
            usage: settings.RATE_LIMIT_USAGE,
          },
          settings.RATE_LIMIT_STREAMS,
        ),
        accounts,
        keys,
        EndUsersModule,
        AuditTrailModule,
        VerificationModule.register(
          accounts,
          keys,
          { eachRequest: isEmbedded(settings), maxStalenessMs: settings.VERIFY_MAX_STALENESS },
          settings.PUBLIC_URL,
        ),
        UsageModule,
      ],
      providers: [
        Metrics,
        Readiness,
        {
          provide: OPEN_LEDGERS,
          inject: [MANAGEMENT.ledger, USAGE.ledger],
          useFactory: (...ledgers: Ledger[]) => ledgers,
        },
      ],
    };
  }
}

/** Returns where a log and its read models are. */
function placeOf(of: LedgerName, settings: Settings): EventLogPlace & ReadStorePlace {
  return {
    log: LEDGERS[of].log,
    dataDir: settings.DATA_DIR,
    eventStoreDbConnectionString: settings.EVENTSTOREDB_CONNECTION_STRING,
    eventStoreDbStreamPrefix: settings.EVENTSTOREDB_STREAM_PREFIX,
    mongodbUri: settings.MONGODB_URI,
  };
}

function begin(projector: URL, workerData: ProjectorData): Worker {
  return new Worker(projector, {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}

import { Worker } from 'node:worker_threads';
import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../../features/accounts/accounts.module.js';
import { AuditTrailModule } from '../../features/audit-trail/audit-trail.module.js';
import { BudgetsModule } from '../../features/budgets/budgets.module.js';
import { VerificationModule } from '../../features/verification/verification.module.js';
import { EndUsersModule } from '../../features/end-users/end-users.module.js';
import { type LedgerName, LEDGERS } from '../ledgers/ledgers.js';
import { type Ledger, OPEN_LEDGERS } from '../../event-sourcing/ledger.js';
import {
  type EmbeddedLogOptions,
  createSyncedRow,
} from '../../event-sourcing/event-log/connection-roles.js';
import { KeysModule } from '../../features/keys/keys.module.js';
import { FeatureMetrics } from '../monitoring/feature-metrics.js';
import { Metrics } from '../monitoring/metrics.js';
import { Readiness } from '../monitoring/readiness.js';
import type { ReadSide } from '../../event-sourcing/projections/read-side.js';
import { LedgerModule } from '../../event-sourcing/ledger.module.js';
import type { ProjectorData } from './projector-thread.js';
import { EdgeModule } from '../../edge/edge.module.js';
import { UsageModule } from '../../features/usage/usage.module.js';
import { ReadStoreModule } from '../../event-sourcing/read-store/read-store.module.js';
import type { Settings } from '../settings/settings.js';
import { SettingsModule } from '../settings/settings.module.js';

/** The young generation of the folding thread. Several batches fit: live ones are copied. */
const YOUNG_GENERATION_MB = 16;

/** The parts that tests and programs may replace. */
export interface Composition {
  /** The read side of management. Only tests pass another one, of a changed version. */
  readonly readSide?: ReadSide;
  /** Gives the program of the folding thread. Without it, the application's own thread folds. */
  readonly projector?: (() => URL) | undefined;
  readonly onUnsettled?: EmbeddedLogOptions['onUnsettled'];
}

/** The composition root, which wires the parts of the service according to the settings. */
@Module({})
export class AppModule {
  static register(settings: Settings, composition: Composition = {}): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CqrsModule.forRoot(),
        SettingsModule.register(settings),
        ReadStoreModule,
        ledgerModule('management', settings, composition),
        ledgerModule('usage', settings, { ...composition, readSide: LEDGERS.usage.readSide }),
        EdgeModule,
        // Express tries routes in this order, and most requests are verifications.
        VerificationModule,
        AccountsModule,
        KeysModule,
        EndUsersModule,
        BudgetsModule,
        AuditTrailModule,
        UsageModule,
      ],
      providers: [
        Metrics,
        FeatureMetrics,
        Readiness,
        {
          provide: OPEN_LEDGERS,
          inject: Object.values(LEDGERS).map(({ tokens }) => tokens.ledger),
          useFactory: (...ledgers: Ledger[]) => ledgers,
        },
      ],
    };
  }
}

function ledgerModule(
  name: LedgerName,
  settings: Settings,
  { readSide = LEDGERS[name].readSide, projector, onUnsettled }: Composition,
): DynamicModule {
  const definition = { ...LEDGERS[name], readSide };
  const place = {
    log: definition.log,
    dataDir: settings.DATA_DIR,
    eventStoreDbConnectionString: settings.EVENTSTOREDB_CONNECTION_STRING,
    eventStoreDbStreamPrefix: settings.EVENTSTOREDB_STREAM_PREFIX,
  };
  const synced = createSyncedRow();
  const role = projector && { as: 'appender' as const, synced };
  const workerData = { ...place, mongodbUri: settings.MONGODB_URI, name, synced };
  return LedgerModule.register(definition, {
    place,
    role,
    onUnsettled,
    timeoutMs: settings.READ_YOUR_WRITES_TIMEOUT,
    beginThread: projector && (() => startProjector(projector(), workerData)),
  });
}

function startProjector(projector: URL, workerData: ProjectorData): Worker {
  return new Worker(projector, {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}

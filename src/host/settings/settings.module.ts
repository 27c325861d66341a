import { type DynamicModule, Module } from '@nestjs/common';
import { type RequestRates, REQUEST_RATES } from '../../edge/rate-limits/rate-limit.guard.js';
import { STREAM_LIMIT } from '../../edge/rate-limits/stream-limit.interceptor.js';
import { READ_STORE_PLACE } from '../../event-sourcing/read-store/open-read-store.js';
import { ACCOUNT_QUOTAS, type AccountQuotas } from '../../features/accounts/domain/quotas.js';
import { MOST_WAITING } from '../../features/audit-trail/waiting-readers.js';
import { KEY_QUOTA } from '../../features/keys/key-quota.js';
import { ISSUER } from '../../features/verification/introspection.controller.js';
import { type Freshness, FRESHNESS } from '../../features/verification/known-keys/freshness.js';
import { FOREIGN_KEYS } from '../../features/verification/asked-key.js';
import { isEmbedded, type Settings } from './settings.js';

/** Provides to each part of the service the settings that it needs, under a token of that part. */
@Module({})
export class SettingsModule {
  static register(settings: Settings): DynamicModule {
    const values = new Map<symbol, unknown>([
      [READ_STORE_PLACE, { dataDir: settings.DATA_DIR, mongodbUri: settings.MONGODB_URI }],
      [
        FRESHNESS,
        {
          eachRequest: isEmbedded(settings),
          maxStalenessMs: settings.VERIFY_MAX_STALENESS,
        } satisfies Freshness,
      ],
      [
        REQUEST_RATES,
        {
          writes: settings.RATE_LIMIT_WRITES,
          'key-creation': settings.RATE_LIMIT_KEY_CREATION,
          usage: settings.RATE_LIMIT_USAGE,
        } satisfies RequestRates,
      ],
      [STREAM_LIMIT, settings.RATE_LIMIT_STREAMS],
      [MOST_WAITING, Math.ceil(settings.MAX_CONNECTIONS / 2)],
      [
        ACCOUNT_QUOTAS,
        {
          workspaces: settings.QUOTA_WORKSPACES,
          managementKeys: settings.QUOTA_MANAGEMENT_KEYS,
          members: settings.QUOTA_MEMBERS,
          workspaceMembers: settings.QUOTA_WORKSPACE_MEMBERS,
        } satisfies AccountQuotas,
      ],
      [KEY_QUOTA, settings.QUOTA_API_KEYS],
      [ISSUER, settings.PUBLIC_URL],
      [FOREIGN_KEYS, settings.FOREIGN_KEYS],
    ]);
    return {
      module: SettingsModule,
      global: true,
      providers: [...values].map(([provide, useValue]) => ({ provide, useValue })),
      exports: [...values.keys()],
    };
  }
}

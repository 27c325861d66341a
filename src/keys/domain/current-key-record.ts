import type { Key } from './key.js';
import { type KeyRecord, presentKey, type UsageFields, usageFields } from './key-record.js';
import { noUsage } from './usage.js';

type SharedFields = UsageFields &
  Pick<
    KeyRecord,
    | 'label'
    | 'limit'
    | 'limit_remaining'
    | 'limit_reset'
    | 'include_byok_in_limit'
    | 'expires_at'
    | 'creator_user_id'
  >;

/** What a key of either kind is told about itself (docs/api.md 3.9). */
export interface CurrentKeyRecord extends SharedFields {
  readonly workspace_id: string | null;
  readonly organization_id: string | null;
  readonly is_management_key: boolean;
  /** An older name of `is_management_key`. */
  readonly is_provisioning_key: boolean;
  readonly is_free_tier: boolean;
  readonly allowed_data_regions: readonly string[];
  readonly free_model_daily_requests: {
    readonly limit: number;
    readonly remaining: number;
    readonly used: number;
  };
  readonly rate_limit: {
    readonly requests: number;
    readonly interval: string;
    readonly note: string;
  };
}

/** What clients ask for and this service has nothing to say of: the same for every key. */
const CONSTANT_FIELDS = {
  is_free_tier: false,
  allowed_data_regions: ['global'],
  free_model_daily_requests: { limit: 0, remaining: 0, used: 0 },
  rate_limit: { requests: -1, interval: '10s', note: 'There is no such limit.' },
} as const;

/** How a management key without a name is labelled: by the form of its key string. */
const NAMELESS = 'mk-v1-...';

/** @param organizationId null when the account is none. */
export function presentCurrentApiKey(
  key: Key,
  organizationId: string | null,
  now: Date,
): CurrentKeyRecord {
  const record = presentKey(key, now);
  return {
    label: record.label,
    limit: record.limit,
    limit_remaining: record.limit_remaining,
    limit_reset: record.limit_reset,
    include_byok_in_limit: record.include_byok_in_limit,
    ...usageFields(noUsage, now),
    expires_at: record.expires_at,
    creator_user_id: record.creator_user_id,
    workspace_id: record.workspace_id,
    organization_id: organizationId,
    is_management_key: false,
    is_provisioning_key: false,
    ...CONSTANT_FIELDS,
  };
}

/** A management key has no limits, spends nothing, does not expire and is in no workspace. */
export function presentCurrentManagementKey(
  key: { readonly name: string | null; readonly userId: string },
  organizationId: string | null,
  now: Date,
): CurrentKeyRecord {
  return {
    label: key.name ?? NAMELESS,
    limit: null,
    limit_remaining: null,
    limit_reset: null,
    include_byok_in_limit: false,
    ...usageFields(noUsage, now),
    expires_at: null,
    creator_user_id: key.userId,
    workspace_id: null,
    organization_id: organizationId,
    is_management_key: true,
    is_provisioning_key: true,
    ...CONSTANT_FIELDS,
  };
}

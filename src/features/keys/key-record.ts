import { numberUsd } from '../../kernel/usd.js';
import type { Key } from './domain/key.js';
import {
  limitRemaining,
  NEVER_USED,
  spentTowardLimit,
  type UsageByWindow,
} from './domain/limit.js';
import type { KeyShape } from './key.fields.js';
import type { UsageTotals } from './published/usage-of-subjects.port.js';

export type KeyRecord = Pick<KeyShape, keyof KeyShape>;

type UsageFields = Pick<KeyRecord, Extract<keyof KeyRecord, `${'byok_' | ''}usage${string}`>>;

/** The usage fields of a key that was never used, made once: else a list would cost twice. */
const UNUSED: UsageFields = usageFields(NEVER_USED);

/** Returns the record of a key (docs/api.md 3.2). @param use undefined for a key never used. */
export function presentKey(key: Key, use?: UsageTotals): KeyRecord {
  return {
    hash: key.hash,
    name: key.name,
    label: key.name,
    disabled: key.disabled,
    limit: key.limit,
    limit_remaining: use ? limitRemaining(key.limit, spentTowardLimit(key, use)) : key.limit,
    limit_reset: key.limit_reset,
    include_byok_in_limit: key.include_byok_in_limit,
    ...(use ? usageFields(use) : UNUSED),
    created_at: key.created_at,
    updated_at: key.updated_at,
    expires_at: key.expires_at,
    last_used_at: use?.lastUsedAt ?? null,
    creator_user_id: key.creator_user_id,
    workspace_id: key.workspace_id,
    external_user: key.external_user === null ? null : { user: key.external_user },
  };
}

export function usageFields({ total, daily, weekly, monthly }: UsageByWindow): UsageFields {
  return {
    usage: numberUsd(total.usage),
    usage_daily: numberUsd(daily.usage),
    usage_weekly: numberUsd(weekly.usage),
    usage_monthly: numberUsd(monthly.usage),
    byok_usage: numberUsd(total.byok_usage),
    byok_usage_daily: numberUsd(daily.byok_usage),
    byok_usage_weekly: numberUsd(weekly.byok_usage),
    byok_usage_monthly: numberUsd(monthly.byok_usage),
  };
}

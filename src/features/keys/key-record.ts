import { ApiSchema, OmitType } from '@nestjs/swagger';
import type { Key, LimitReset } from './domain/key.js';
import { type Usage, limitRemaining, noUsage, spent, type UsageTotals } from './domain/usage.js';
import { KeyFields } from './key.fields.js';

@ApiSchema({ name: 'Key' })
export class KeyShape extends OmitType(KeyFields, ['external']) {}

/** An API key as callers see it (docs/api.md 3.2). */
export type KeyRecord = Pick<KeyShape, keyof KeyShape>;

type UsageField = Extract<keyof KeyRecord, `${'byok_' | ''}usage${string}`>;

/** The spending of a key in USD, by kind and window. */
export type UsageFields = Pick<KeyRecord, UsageField>;

/** The usage fields of every key, all 0. Computing the fields for each key would double the cost of a list. */
const NO_USAGE: UsageFields = usageFields(noUsage, new Date(0));

/** Returns the record of a key as of `now` (docs/api.md 3.2). Usage is 0, because nothing reports usage. */
export function presentKey(key: Key, now: Date): KeyRecord {
  return {
    hash: key.hash,
    name: key.name,
    label: key.name,
    disabled: key.disabled,
    limit: key.limit,
    limit_remaining: limitRemaining(key, noUsage, now),
    limit_reset: key.limit_reset,
    include_byok_in_limit: key.include_byok_in_limit,
    ...NO_USAGE,
    created_at: key.created_at,
    updated_at: key.updated_at,
    expires_at: key.expires_at,
    last_used_at: null,
    creator_user_id: key.creator_user_id,
    workspace_id: key.workspace_id,
    external_user: key.external_user === null ? null : { user: key.external_user },
  };
}

/** Returns the usage fields of a record. Windows are computed for `now`, so nothing needs to reset them. */
export function usageFields({ own, byok }: Usage, now: Date): UsageFields {
  const amount = (totals: UsageTotals, reset: LimitReset | null): number =>
    spent(totals, reset, now).toNumber();
  return {
    usage: amount(own, null),
    usage_daily: amount(own, 'daily'),
    usage_weekly: amount(own, 'weekly'),
    usage_monthly: amount(own, 'monthly'),
    byok_usage: amount(byok, null),
    byok_usage_daily: amount(byok, 'daily'),
    byok_usage_weekly: amount(byok, 'weekly'),
    byok_usage_monthly: amount(byok, 'monthly'),
  };
}

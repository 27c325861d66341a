import { cutTo, TEXT_MAX_LENGTH } from '../../kernel/text.js';
import type { Key, LimitReset } from './key.js';
import { type Usage, limitRemaining, noUsage, spent, type UsageTotals } from './usage.js';

/** What a key has spent, in USD. */
export interface UsageFields {
  readonly usage: number;
  readonly usage_daily: number;
  readonly usage_weekly: number;
  readonly usage_monthly: number;
  readonly byok_usage: number;
  readonly byok_usage_daily: number;
  readonly byok_usage_weekly: number;
  readonly byok_usage_monthly: number;
}

/** An API key as callers see it (docs/api.md 3.2). */
export interface KeyRecord extends UsageFields {
  readonly hash: string;
  readonly name: string;
  readonly label: string;
  readonly disabled: boolean;
  readonly limit: number | null;
  readonly limit_remaining: number | null;
  readonly limit_reset: LimitReset | null;
  readonly include_byok_in_limit: boolean;
  readonly created_at: string;
  readonly updated_at: string | null;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly creator_user_id: string;
  readonly workspace_id: string;
  readonly external_user: { readonly user: string } | null;
}

/** The same at any time; computed for each key of a list it is half of what the list costs. */
const NO_USAGE: UsageFields = usageFields(noUsage, new Date(0));

/** The record of a key at a time. Its usage is none, as nothing reports any. */
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

/** The record as a list shows it: texts that are longer than they may be now, from before, are cut. */
export function presentListedKey(key: Key, now: Date): KeyRecord {
  const name = cutTo(key.name, TEXT_MAX_LENGTH);
  const creator_user_id = cutTo(key.creator_user_id, TEXT_MAX_LENGTH);
  return { ...presentKey(key, now), name, label: name, creator_user_id };
}

/** Usage windows are computed for `now`, nothing sweeps them. */
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

import {
  Choice,
  Flag,
  Nested,
  Shown,
  Text,
  TrackingString,
  UsdAmount,
  ShownTime,
  UtcTimestamp,
} from '../../edge/http/fields/field-decorators.js';
import { IsOtherNameOf } from '../../edge/http/fields/field-rules.js';
import { LIMIT_RESETS, type LimitReset } from './domain/key.js';

const LOOKUP_KEY =
  'Lookup key of the partner, kept as a SHA-256 hash and never returned. `lookup_key` and `api_key` are two names of one field; only one of them may be given.';

/** The most characters that a `workspace_id` in a request may have. Only a UUID or the word `all` finds something. */
export const WORKSPACE_ID = { max: 64 };

/** The path parameter of routes for one key. */
export const HASH_IN_PATH = { name: 'hash', description: 'Hash of the key.' };

/** The field `external` of a request: the partner's identifiers of the end user of a key, and of the key. */
export class ExternalIdentity {
  @TrackingString('Tracking string of the end user.')
  readonly user: string = '';

  @Text(LOOKUP_KEY, { nullable: true, mayBeAbsent: true })
  readonly lookup_key?: string | null;

  @Text(LOOKUP_KEY, { nullable: true, mayBeAbsent: true })
  @IsOtherNameOf('lookup_key')
  readonly api_key?: string | null;
}

/** The field `external_user` in the record of a key: the end user whom the key is for. */
export class ExternalUser {
  @TrackingString('Tracking string of the end user.')
  readonly user: string = '';
}

/**
 * All fields of an API key (docs/api.md 3.2, 3.3). The classes of requests and of the record derive from this class.
 * The initial values only satisfy the compiler.
 */
export class KeyFields {
  @Text('Identifier of the key: SHA-256 of the key string.')
  readonly hash: string = '';

  @Text('Name of the key.')
  readonly name: string = '';

  @Text('Display label: the name.')
  readonly label: string = '';

  @Flag('Whether the key is disabled.')
  readonly disabled: boolean = false;

  @UsdAmount('Spending limit in USD; null for none.', { nullable: true })
  readonly limit: number | null = null;

  @UsdAmount('USD left under the limit; null without a limit.', { nullable: true })
  readonly limit_remaining: number | null = null;

  @Choice('When the limit resets; null for never.', LIMIT_RESETS, { nullable: true })
  readonly limit_reset: LimitReset | null = null;

  @Flag('Whether BYOK usage counts toward the limit.')
  readonly include_byok_in_limit: boolean = false;

  @UsdAmount('Total usage, in USD.')
  readonly usage: number = 0;

  @UsdAmount('Usage since midnight UTC, in USD.')
  readonly usage_daily: number = 0;

  @UsdAmount('Usage since Monday, midnight UTC, in USD.')
  readonly usage_weekly: number = 0;

  @UsdAmount('Usage since the 1st, midnight UTC, in USD.')
  readonly usage_monthly: number = 0;

  @UsdAmount('Total BYOK usage, in USD.')
  readonly byok_usage: number = 0;

  @UsdAmount('BYOK usage since midnight UTC, in USD.')
  readonly byok_usage_daily: number = 0;

  @UsdAmount('BYOK usage since Monday, midnight UTC, in USD.')
  readonly byok_usage_weekly: number = 0;

  @UsdAmount('BYOK usage since the 1st, midnight UTC, in USD.')
  readonly byok_usage_monthly: number = 0;

  @ShownTime('Time of the creation.')
  readonly created_at: string = '';

  @ShownTime('Time of the last change; null on a key that was never updated.', {
    nullable: true,
  })
  readonly updated_at: string | null = null;

  @UtcTimestamp('Time at which the key expires; null for never. It may be in the past.', {
    nullable: true,
  })
  readonly expires_at: string | null = null;

  @ShownTime('Time of the last use; null when the key was never used.', { nullable: true })
  readonly last_used_at: string | null = null;

  @Text('User who created the key; the user of the management key unless another is given.')
  readonly creator_user_id: string = '';

  @Text('Workspace of the key; the default workspace unless another is given.', WORKSPACE_ID)
  readonly workspace_id: string = '';

  @Nested('Partner-defined identity of the key.', () => ExternalIdentity)
  readonly external: ExternalIdentity | null = null;

  @Shown('Partner-defined identity of the key.', { type: () => ExternalUser, nullable: true })
  readonly external_user: ExternalUser | null = null;
}

import { hash } from 'node:crypto';
import { ApiProperty, ApiSchema, IntersectionType, OmitType, PickType } from '@nestjs/swagger';
import {
  Choice,
  Flag,
  Nested,
  Shown,
  ShownTime,
  Text,
  TrackingString,
  UsdAmount,
  UtcTimestamp,
} from '../../edge/http/fields/field-decorators.js';
import { rule } from '../../edge/http/fields/field-rules.js';
import {
  OptionalFields,
  ChangeableFields,
  BodySchema,
} from '../../edge/http/fields/mapped-fields.js';
import { Paged } from '../../edge/http/fields/paging.js';
import { FlagParameter, Parameter } from '../../edge/http/fields/query-decorators.js';
import { parseUtcTimestamp } from '../../kernel/utc-timestamp.js';
import { LIMIT_RESETS, type LimitReset } from '../../kernel/limit-reset.js';
import { CHANGEABLE } from './domain/key-updates.js';
import type { KeyFilter } from './key-directory/key-pages.js';

const LOOKUP_KEY =
  'Lookup key of the partner, stored as a SHA-256 hash and never returned. `lookup_key` and `api_key` are two names of one field; only one of them may be given.';

const OTHER_NAME = 'must not be given together with lookup_key, whose other name it is';

/** The most characters of a `workspace_id` in a request. Only a UUID or `all` finds something. */
export const WORKSPACE_ID = { max: 64 };

export const HASH_IN_PATH = { name: 'hash', description: 'Hash of the key.' };

export const HASH_TO_STORE = {
  name: 'hash',
  description: 'SHA-256 of the key string that the caller made, in lower-case hex.',
  schema: { type: 'string' as const, pattern: '^[0-9a-f]{64}$' },
};

/** The field `external` of a request: the partner's ids of the end user of a key and of the key. */
export class ExternalIdentity {
  @TrackingString('Tracking ID of the end user.')
  readonly user!: string;

  @Text(LOOKUP_KEY, { nullable: true, mayBeAbsent: true })
  readonly lookup_key?: string | null;

  @Text(LOOKUP_KEY, { nullable: true, mayBeAbsent: true })
  @rule((_, { lookup_key }) => lookup_key == null, OTHER_NAME)
  readonly api_key?: string | null;
}

export class ExternalUser extends PickType(ExternalIdentity, ['user']) {}

/** All fields of an API key (docs/api.md 3.2, 3.3), from which requests and the record derive. */
export class KeyFields {
  @Shown('Identifier of the key: SHA-256 of its first key string.', { type: String })
  readonly hash!: string;

  @Text('Name of the key.')
  readonly name!: string;

  @Text('Display label: the name.')
  readonly label!: string;

  @Flag('Whether the key is disabled.')
  readonly disabled!: boolean;

  @UsdAmount('Spending limit in USD; null for none.', { nullable: true })
  readonly limit!: number | null;

  @UsdAmount('USD that remain until the limit is reached; null without a limit.', {
    nullable: true,
  })
  readonly limit_remaining!: number | null;

  @Choice('LimitReset', 'When the limit resets; null for never.', LIMIT_RESETS, {
    nullable: true,
  })
  readonly limit_reset!: LimitReset | null;

  @Flag('Whether BYOK (bring your own key) usage counts toward the limit.')
  readonly include_byok_in_limit!: boolean;

  @UsdAmount('Total usage, in USD.')
  readonly usage!: number;

  @UsdAmount('Usage since midnight UTC, in USD.')
  readonly usage_daily!: number;

  @UsdAmount('Usage since Monday, midnight UTC, in USD.')
  readonly usage_weekly!: number;

  @UsdAmount('Usage since the 1st, midnight UTC, in USD.')
  readonly usage_monthly!: number;

  @UsdAmount('Total BYOK usage, in USD.')
  readonly byok_usage!: number;

  @UsdAmount('BYOK usage since midnight UTC, in USD.')
  readonly byok_usage_daily!: number;

  @UsdAmount('BYOK usage since Monday, midnight UTC, in USD.')
  readonly byok_usage_weekly!: number;

  @UsdAmount('BYOK usage since the 1st, midnight UTC, in USD.')
  readonly byok_usage_monthly!: number;

  @ShownTime('Time of the creation.')
  readonly created_at!: string;

  @ShownTime('Time of the last change; null on a key that was never updated.', {
    nullable: true,
  })
  readonly updated_at!: string | null;

  @UtcTimestamp('Time at which the key expires; null for never. It may be in the past.', {
    nullable: true,
  })
  readonly expires_at!: string | null;

  @ShownTime('Time of the last use; null when the key was never used.', { nullable: true })
  readonly last_used_at!: string | null;

  @Text('User who created the key; the user of the management key unless another is given.')
  readonly creator_user_id!: string;

  @ApiProperty({ format: 'uuid' })
  @Text('Workspace of the key; the default workspace unless another is given.', WORKSPACE_ID)
  readonly workspace_id!: string;

  @Nested('Partner-defined identity of the key.', () => ExternalIdentity)
  readonly external!: ExternalIdentity | null;

  @Shown('Partner-defined identity of the key.', { type: () => ExternalUser, nullable: true })
  readonly external_user!: ExternalUser | null;
}

/** An API key as callers see it (docs/api.md 3.2). */
@ApiSchema({ name: 'Key' })
export class KeyShape extends OmitType(KeyFields, ['external']) {}

/** The body that creates a key (docs/api.md 3.3). Ignores unknown fields; null counts as absent. */
@BodySchema({ example: { name: 'Analytics', limit: 10, limit_reset: 'monthly' } })
export class CreateKeyRequest extends IntersectionType(
  PickType(KeyFields, ['name']),
  OptionalFields(KeyFields, [
    'creator_user_id',
    'expires_at',
    'external',
    'include_byok_in_limit',
    'limit',
    'limit_reset',
    'workspace_id',
  ]),
) {}

/** Returns what a body creates: the fields of the key that need only the body. */
export function contentOf(body: CreateKeyRequest) {
  return {
    name: body.name,
    expires_at: body.expires_at == null ? null : parseUtcTimestamp(body.expires_at),
    external: body.external ? withHashedLookupKey(body.external) : null,
    include_byok_in_limit: body.include_byok_in_limit ?? false,
    limit: body.limit ?? null,
    limit_reset: body.limit_reset ?? null,
  };
}

function withHashedLookupKey({ user, lookup_key, api_key }: ExternalIdentity) {
  const lookupKey = lookup_key ?? api_key;
  return { user, lookup_key_hash: lookupKey == null ? null : hash('sha256', lookupKey, 'hex') };
}

/** The body of `PATCH /v1/keys/{hash}` (docs/api.md 4.1). Unknown fields are ignored. */
@BodySchema({ minProperties: 1, example: { limit: 20 } })
export class UpdateKeyRequest extends ChangeableFields(KeyFields, CHANGEABLE) {}

/** The body of `PUT /v1/keys/{hash}/expiry` (docs/api.md 4.4). Unknown fields are refused. */
@BodySchema({ additionalProperties: false, example: { expires_at: '2027-01-01T00:00:00Z' } })
export class ChangeExpiryRequest extends PickType(KeyFields, ['expires_at']) {}

export class ListKeysRequest extends Paged(100) {
  @FlagParameter('Whether disabled keys are listed and counted too.')
  readonly include_disabled?: string;

  @Parameter(
    Text(
      'Only keys in this workspace, or `all` for every workspace of the account. If absent, the default workspace, unless another filter is given.',
      WORKSPACE_ID,
    ),
  )
  readonly workspace_id?: string;

  @Parameter(
    Text('Only keys of exactly this creator; not together with `external_user`.'),
    IsGivenWithout('external_user'),
  )
  readonly creator_user_id?: string;

  @Parameter(TrackingString('Only keys of the end user with exactly this tracking ID.'))
  readonly external_user?: string;

  @Parameter(
    UtcTimestamp(
      'Only keys that expire before this time, the soonest first; not together with `creator_user_id` or `external_user`.',
    ),
    IsGivenWithout('creator_user_id'),
    IsGivenWithout('external_user'),
  )
  readonly expires_before?: string;

  @Parameter(
    UtcTimestamp(
      'Only keys that expire at this time or later; only together with `expires_before`.',
    ),
    rule(
      (_, { expires_before }) => expires_before !== undefined,
      'may be given with expires_before only',
    ),
  )
  readonly expires_after?: string;
}

export function keyFilterOf({
  creator_user_id,
  external_user,
  expires_before,
  expires_after,
}: ListKeysRequest): KeyFilter | undefined {
  if (creator_user_id !== undefined) return { field: 'creator_user_id', value: creator_user_id };
  if (external_user !== undefined) return { field: 'external_user', value: external_user };
  const before = timeOf(expires_before);
  if (before !== undefined) return { field: 'expires_at', from: timeOf(expires_after), before };
  return undefined;
}

function timeOf(parameter: string | undefined): string | undefined {
  return parameter === undefined ? undefined : (parseUtcTimestamp(parameter) ?? undefined);
}

function IsGivenWithout(other: string): PropertyDecorator {
  return rule(
    (_, fields) => fields[other] === undefined,
    `must not be given together with ${other}`,
  );
}

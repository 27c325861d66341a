import { ApiSchema, PickType } from '@nestjs/swagger';
import { Shown, ShownTime, UUID_OR_NULL } from '../../edge/http/fields/field-decorators.js';
import type { AccountKind } from '../../kernel/account-kind.js';
import type { Role } from '../../kernel/role.js';
import type { Caller } from '../../edge/http/callers/caller.js';
import type { Key } from './domain/key.js';
import type { KeyString } from './domain/key-strings.js';
import {
  limitRemaining,
  NEVER_USED,
  spentTowardLimit,
  type UsageByWindow,
} from './domain/limit.js';
import { usageFields } from './key-record.js';
import { KeyShape } from './key.fields.js';

class FreeModelRequests {
  @Shown('Always 0.', { type: 'integer' })
  readonly limit!: number;

  @Shown('Always 0.', { type: 'integer' })
  readonly remaining!: number;

  @Shown('Always 0.', { type: 'integer' })
  readonly used!: number;
}

class CurrentAccount {
  @Shown('Id of the account.', { type: String, format: 'uuid' })
  readonly id!: string;

  @Shown('`organization` or `individual`.', { type: String })
  readonly kind!: AccountKind;

  @Shown('Name of the account.', { type: String })
  readonly name!: string;
}

class RateLimit {
  @Shown('Always -1: there is no such limit.', { type: 'integer' })
  readonly requests!: number;

  @Shown('Always `10s`.', { type: String })
  readonly interval!: string;

  @Shown('A note for people.', { type: String })
  readonly note!: string;
}

@ApiSchema({ name: 'CurrentKey' })
export class CurrentKeyShape extends PickType(KeyShape, [
  'hash',
  'label',
  'limit',
  'limit_remaining',
  'limit_reset',
  'include_byok_in_limit',
  'usage',
  'usage_daily',
  'usage_weekly',
  'usage_monthly',
  'byok_usage',
  'byok_usage_daily',
  'byok_usage_weekly',
  'byok_usage_monthly',
  'expires_at',
  'creator_user_id',
]) {
  @Shown('Workspace of the key; null for a management key.', UUID_OR_NULL)
  readonly workspace_id!: string | null;

  @Shown('Organization of the key; null if the account is not an organization.', UUID_OR_NULL)
  readonly organization_id!: string | null;

  @Shown('Whether the key is a management key.', { type: Boolean })
  readonly is_management_key!: boolean;

  @Shown('Role of a management key; null for an API key. Later releases may add roles.', {
    type: String,
    nullable: true,
  })
  readonly role!: Role | null;

  @Shown('Account of a management key; null for an API key.', {
    type: () => CurrentAccount,
    nullable: true,
  })
  readonly account!: CurrentAccount | null;

  @ShownTime('When the key string of the request ends; null for never, and for a management key.', {
    nullable: true,
  })
  readonly string_ends_at!: string | null;

  @Shown('An older name of `is_management_key`.', { type: Boolean })
  readonly is_provisioning_key!: boolean;

  @Shown('Always false.', { type: Boolean })
  readonly is_free_tier!: boolean;

  @Shown('Always `global` alone.', { type: [String] })
  readonly allowed_data_regions!: readonly string[];

  @Shown('Always 0: there are no free models.', { type: () => FreeModelRequests })
  readonly free_model_daily_requests: FreeModelRequests = new FreeModelRequests();

  @Shown('Always the same: keys have no such limit.', { type: () => RateLimit })
  readonly rate_limit: RateLimit = new RateLimit();
}

/** The record of an API key or management key for the caller who uses it (docs/api.md 3.9). */
export type CurrentKeyRecord = Pick<CurrentKeyShape, keyof CurrentKeyShape>;

/** Fields that clients expect but that have one value for every key of this service. */
const CONSTANT_FIELDS = {
  is_free_tier: false,
  allowed_data_regions: ['global'],
  free_model_daily_requests: { limit: 0, remaining: 0, used: 0 },
  rate_limit: { requests: -1, interval: '10s', note: 'There is no such limit.' },
} as const;

/** The label of a management key without a name. It shows the prefix of the key string. */
const NAMELESS_LABEL = 'mk-v1-...';

/** Returns the record of a caller's key. @param key null for a management key: no limit, no use. */
export function presentCurrentKey(
  { accountId, accountKind, accountName, expiresAt, keyHash, keyName, role, userId }: Caller,
  key: Key | null,
  usage: UsageByWindow = NEVER_USED,
  string?: KeyString,
): CurrentKeyRecord {
  return {
    hash: keyHash,
    label: key?.name ?? keyName ?? NAMELESS_LABEL,
    limit: key?.limit ?? null,
    limit_remaining: key && limitRemaining(key.limit, spentTowardLimit(key, usage)),
    limit_reset: key?.limit_reset ?? null,
    include_byok_in_limit: key?.include_byok_in_limit ?? false,
    ...usageFields(usage),
    expires_at: key ? key.expires_at : expiresAt,
    creator_user_id: userId,
    workspace_id: key?.workspace_id ?? null,
    organization_id: accountKind === 'organization' ? accountId : null,
    is_management_key: key === null,
    role,
    account: accountName === null ? null : { id: accountId, kind: accountKind, name: accountName },
    string_ends_at: string?.ends_at ?? null,
    is_provisioning_key: key === null,
    ...CONSTANT_FIELDS,
  };
}

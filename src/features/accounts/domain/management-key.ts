import type { Foldable } from '../../../kernel/aggregate.js';
import { Refusal } from '../../../kernel/errors.js';
import type { Happened } from '../../../kernel/event.js';
import { hasCome } from '../../../kernel/utc-timestamp.js';
import { type AccountEvent, accountEvents } from './account.events.js';
import { type AccountState, type ManagementKey, requireAccount } from './account.js';
import { type AccountQuotas, withinQuota } from './quotas.js';

export type NewManagementKey = ManagementKey;

/** Everything that was ever recorded of a management key. All times are in ISO 8601 UTC. */
export interface ManagementKeyRecord extends ManagementKey {
  readonly created_at: string;
  /** The user who created the key; null for the operator and the service. */
  readonly created_by: string | null;
  readonly revoked_at: string | null;
}

type ManagementKeyCreated = Extract<AccountEvent, { type: 'ManagementKeyCreated' }>;

export function newKeyRecord({
  data,
  metadata,
}: Happened<ManagementKeyCreated>): ManagementKeyRecord {
  const { hash, user_id, name, role = 'admin', expires_at = null } = data;
  const { occurred_at: created_at, actor } = metadata;
  const created_by = actor.user_id;
  return { hash, user_id, name, role, expires_at, created_at, created_by, revoked_at: null };
}

/**
 * Folds the stream of an account into the record of one management key, which the state of the
 * account holds no longer when it was revoked; null for a key that was never created.
 */
export function recordedKey(hash: string): Foldable<ManagementKeyRecord | null, AccountEvent> {
  return {
    events: accountEvents,
    initial: null,
    evolve(record, event) {
      if (event.type === 'ManagementKeyCreated' && event.data.hash === hash) {
        return newKeyRecord(event);
      }
      if (event.type === 'ManagementKeyRevoked' && event.data.hash === hash && record) {
        return { ...record, revoked_at: event.metadata.occurred_at };
      }
      return record;
    },
  };
}

/** The bounds of the creation of a management key. */
export interface KeyBounds {
  readonly quotas: AccountQuotas;
  readonly now: Date;
  /** When the key expires that creates another one, which may not live longer; null for never. */
  readonly until: string | null;
}

/**
 * Creates a management key for a member of an account. If the account has no place left, the new
 * key takes the place of the one that expired first.
 * @throws Refusal when the user is no member, the key would live too long, or live keys use up the
 * quota.
 */
export function createManagementKey(
  state: AccountState,
  wanted: NewManagementKey,
  { quotas, now, until }: KeyBounds,
): AccountEvent[] {
  const account = requireAccount(state);
  const { user_id, expires_at } = wanted;
  if (!account.members.has(user_id)) {
    const issues = [{ path: 'user_id', message: 'is not a member of the account' }];
    throw new Refusal('member-unknown', { issues });
  }
  if (until !== null && (expires_at === null || expires_at > until)) {
    throw new Refusal('beyond-own-key', { expires_at: until });
  }
  const held = account.managementKeys;
  const live = held.filterNot((key) => hasCome(key.expires_at, now));
  const longExpired = held.filter((key) => hasCome(key.expires_at, now)).minBy(expiryOf);
  const displaces = held.size < quotas.managementKeys ? undefined : longExpired?.hash;
  const created: AccountEvent = {
    type: 'ManagementKeyCreated',
    data: { account_id: account.id, ...wanted, ...(displaces !== undefined && { displaces }) },
  };
  return withinQuota({ ...account, managementKeys: live }, [created], 'managementKeys', quotas);
}

function expiryOf({ expires_at }: ManagementKey): string {
  return expires_at ?? '';
}

const CONTENT_FIELDS = ['name', 'user_id', 'role', 'expires_at'] as const;

/**
 * Requires that a creation that is repeated may be answered with the key that it created.
 * @throws Refusal when the key was revoked, or created with other content, which it names.
 */
export function requireSameKey(recorded: ManagementKeyRecord, wanted: NewManagementKey): void {
  if (recorded.revoked_at !== null) throw new Refusal('hash-used');
  const fields = CONTENT_FIELDS.filter((field) => recorded[field] !== wanted[field]);
  if (fields.length > 0) throw new Refusal('key-differs', { fields });
}

/**
 * Revokes a management key.
 * @param keepsAdmin whether the account must keep a live `admin` key without expiry.
 * @throws Refusal when it would not.
 */
export function revokeManagementKey(
  state: AccountState,
  hash: string,
  keepsAdmin: boolean,
): AccountEvent[] {
  if (keepsAdmin) requireAdminLeft(state, (key) => key.hash === hash);
  return [managementKeyRevoked(hash)];
}

/** @throws Refusal when the keys that end are all `admin` keys without expiry of the account. */
export function requireAdminLeft(state: AccountState, ends: (key: ManagementKey) => boolean): void {
  const admins = requireAccount(state).managementKeys.filter(
    ({ role, expires_at }) => role === 'admin' && expires_at === null,
  );
  if (admins.size > 0 && admins.every(ends)) throw new Refusal('last-admin-key');
}

export function managementKeyRevoked(hash: string): AccountEvent {
  return { type: 'ManagementKeyRevoked', data: { hash } };
}

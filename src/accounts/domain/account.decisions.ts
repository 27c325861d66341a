import { Refusal, notFound } from '../../kernel/errors.js';
import {
  type AccountKind,
  type AccountState,
  existing,
  type ManagementKey,
  type OpenAccount,
} from './account.js';
import type { AccountEvent } from './account.events.js';
import { type AccountQuotas, withinQuota } from './quotas.js';
import { DEFAULT_SLUG } from './workspace.events.js';
import { memberLeaves, MEMBERSHIPS_END_AT_ONCE } from './workspace.decisions.js';

/** An account that is wanted. */
export interface NewAccount {
  readonly accountId: string;
  readonly kind: AccountKind;
  readonly name: string;
  readonly ownerUserId: string;
  readonly defaultWorkspaceId: string;
  readonly managementKeyHash: string;
}

/**
 * An account comes with its default workspace, its owner as a member and a management key, or not at all.
 * @throws Refusal when it is there.
 */
export function createAccount(state: AccountState, wanted: NewAccount): AccountEvent[] {
  if (state.status === 'open') throw new Refusal('account-already-exists');
  const { accountId, kind, name, ownerUserId, defaultWorkspaceId, managementKeyHash } = wanted;
  return [
    {
      type: 'AccountCreated',
      data: {
        account_id: accountId,
        kind,
        name,
        owner_user_id: ownerUserId,
        default_workspace_id: defaultWorkspaceId,
      },
    },
    { type: 'MemberAdded', data: { account_id: accountId, user_id: ownerUserId } },
    {
      type: 'WorkspaceCreated',
      data: {
        account_id: accountId,
        workspace_id: defaultWorkspaceId,
        name: 'Default',
        slug: DEFAULT_SLUG,
        description: null,
        restrictions: [],
        is_default: true,
      },
    },
    {
      type: 'ManagementKeyCreated',
      data: { account_id: accountId, hash: managementKeyHash, user_id: ownerUserId, name: null },
    },
  ];
}

/**
 * Makes a user a member of an account.
 * @throws Refusal when the user is a member already, the account is an individual, or its quota is used up.
 */
export function addMember(
  state: AccountState,
  userId: string,
  quotas: AccountQuotas,
): AccountEvent[] {
  const account = existing(state);
  if (account.kind === 'individual') throw new Refusal('account-is-individual');
  if (account.members.has(userId)) throw new Refusal('member-already-added');
  const added: AccountEvent = {
    type: 'MemberAdded',
    data: { account_id: account.id, user_id: userId },
  };
  return withinQuota(account, [added], 'members', quotas);
}

/**
 * Who leaves an account leaves its workspaces, and their management keys end, first of all. Of very many some end: ask again
 * until the user is no member.
 * @throws Refusal when the user is none, or owns the account.
 */
export function removeMember(state: AccountState, userId: string): AccountEvent[] {
  const account = existing(state);
  if (!account.members.has(userId)) throw new Refusal('member-unknown');
  if (account.ownerUserId === userId) throw new Refusal('owner-not-removable');
  const workspaces = [...account.workspaces.values()].filter(({ members }) => members.has(userId));
  const keys = [...account.managementKeys.values()].filter(
    (key) => key.userId === userId && key.revokedAt === null,
  );
  const ends = [
    ...keys.map(({ hash }) => managementKeyRevokedEvent(hash)),
    ...workspaces.map(({ id }) => memberLeaves(id, userId)),
  ];
  if (ends.length > MEMBERSHIPS_END_AT_ONCE) return ends.slice(0, MEMBERSHIPS_END_AT_ONCE);
  return [...ends, { type: 'MemberRemoved', data: { account_id: account.id, user_id: userId } }];
}

/** A management key that is wanted. */
export interface NewManagementKey {
  readonly hash: string;
  readonly userId: string;
  readonly name: string | null;
}

/**
 * Gives a member of an account a management key.
 * @throws Refusal when the user is no member of the account, or its quota is used up.
 */
export function createManagementKey(
  state: AccountState,
  { hash, userId, name }: NewManagementKey,
  quotas: AccountQuotas,
): AccountEvent[] {
  const account = existing(state);
  if (!account.members.has(userId)) throw new Refusal('member-unknown');
  const created: AccountEvent = {
    type: 'ManagementKeyCreated',
    data: { account_id: account.id, hash, user_id: userId, name },
  };
  return withinQuota(account, [created], 'managementKeys', quotas);
}

/** @throws Refusal when there is no such key, or it is revoked already. */
export function revokeManagementKey(state: AccountState, hash: string): AccountEvent[] {
  const key = existingManagementKey(existing(state), hash);
  if (key.revokedAt !== null) throw new Refusal('management-key-already-revoked');
  return [managementKeyRevokedEvent(hash)];
}

/** @throws Refusal when there is none. */
export function existingManagementKey(account: OpenAccount, hash: string): ManagementKey {
  const key = account.managementKeys.get(hash);
  if (!key) throw notFound();
  return key;
}

function managementKeyRevokedEvent(hash: string): AccountEvent {
  return { type: 'ManagementKeyRevoked', data: { hash } };
}

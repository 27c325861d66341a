import type { AccountKind } from '../../../kernel/account-kind.js';
import { Refusal } from '../../../kernel/errors.js';
import { type AccountState, requireAccount, type ManagementKey } from './account.js';
import type { AccountEvent } from './account.events.js';
import { managementKeyRevoked, requireAdminLeft } from './management-key.js';
import { type AccountQuotas, withinQuota } from './quotas.js';
import { memberLeaves, MEMBERSHIPS_END_AT_ONCE } from './workspace.decisions.js';
import { DEFAULT_SLUG } from './workspace.events.js';

export interface NewAccount {
  readonly account_id: string;
  readonly kind: AccountKind;
  readonly name: string;
  readonly owner_user_id: string;
  readonly default_workspace_id: string;
  readonly management_key_hash: string;
}

/**
 * Opens an account with its default workspace, owner and first management key, all or nothing.
 * @throws Refusal when the account exists.
 */
export function createAccount(
  state: AccountState,
  { account_id, kind, name, owner_user_id, default_workspace_id, management_key_hash }: NewAccount,
): AccountEvent[] {
  if (state.status === 'open') throw new Refusal('account-already-exists');
  return [
    {
      type: 'AccountCreated',
      data: { account_id, kind, name, owner_user_id, default_workspace_id },
    },
    { type: 'MemberAdded', data: { account_id, user_id: owner_user_id } },
    {
      type: 'WorkspaceCreated',
      data: {
        account_id,
        workspace_id: default_workspace_id,
        name: 'Default',
        slug: DEFAULT_SLUG,
        description: null,
        restrictions: [],
        is_default: true,
      },
    },
    {
      type: 'ManagementKeyCreated',
      data: {
        account_id,
        hash: management_key_hash,
        user_id: owner_user_id,
        name: null,
        role: 'admin',
        expires_at: null,
      },
    },
  ];
}

/**
 * Makes a user a member of an account: no event for a user who is one.
 * @throws Refusal for an individual account, and when the quota is used up.
 */
export function addMember(
  state: AccountState,
  userId: string,
  quotas: AccountQuotas,
): AccountEvent[] {
  const account = requireAccount(state);
  if (account.kind === 'individual') throw new Refusal('account-is-individual');
  if (account.members.has(userId)) return [];
  const added: AccountEvent = {
    type: 'MemberAdded',
    data: { account_id: account.id, user_id: userId },
  };
  return withinQuota(account, [added], 'members', quotas);
}

/**
 * Removes a user from an account, after the user's management keys and workspace memberships.
 * Returns only what one append can hold: the caller calls again until the user is no member.
 * @param keepsAdmin whether the account must keep a live `admin` key without expiry.
 * @throws Refusal when it would not, and when the user is no member, or owns the account.
 */
export function removeMember(
  state: AccountState,
  userId: string,
  keepsAdmin = false,
): AccountEvent[] {
  const account = requireAccount(state);
  if (!account.members.has(userId)) throw new Refusal('member-unknown');
  if (account.owner_user_id === userId) throw new Refusal('owner-not-removable');
  const workspaces = [...account.workspaces.values()].filter(({ members }) => members.has(userId));
  const isOwn = ({ user_id }: ManagementKey): boolean => user_id === userId;
  if (keepsAdmin) requireAdminLeft(account, isOwn);
  const keys = [...account.managementKeys.values()].filter(isOwn);
  const ends = [
    ...keys.map(({ hash }) => managementKeyRevoked(hash)),
    ...workspaces.map(({ id }) => memberLeaves(id, userId)),
  ];
  if (ends.length > MEMBERSHIPS_END_AT_ONCE) return ends.slice(0, MEMBERSHIPS_END_AT_ONCE);
  return [...ends, { type: 'MemberRemoved', data: { account_id: account.id, user_id: userId } }];
}

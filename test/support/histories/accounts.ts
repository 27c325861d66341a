import type { AccountEvent } from '../../../src/features/accounts/domain/account.events.js';
import type { AccountQuotas } from '../../../src/features/accounts/domain/quotas.js';

export const ACCOUNT = 'account-1';
export const DEFAULT_WORKSPACE = 'workspace-default';
export const OWNER = 'ada';

/** Quotas that no history reaches. */
export const PLENTY: AccountQuotas = {
  workspaces: 100,
  managementKeys: 100,
  members: 100,
  workspaceMembers: 100,
};

/** What a management key has that is made without a role and an expiry. */
export const NEW_KEY = { role: 'admin', expires_at: null } as const;

/** Gives the events that open an account. */
export function openedAccount(
  kind: 'organization' | 'individual' = 'organization',
): AccountEvent[] {
  return [
    {
      type: 'AccountCreated',
      data: {
        account_id: ACCOUNT,
        kind,
        name: 'Acme',
        owner_user_id: OWNER,
        default_workspace_id: DEFAULT_WORKSPACE,
      },
    },
    { type: 'MemberAdded', data: { account_id: ACCOUNT, user_id: OWNER } },
    {
      type: 'WorkspaceCreated',
      data: {
        account_id: ACCOUNT,
        workspace_id: DEFAULT_WORKSPACE,
        name: 'Default',
        slug: 'default',
        description: null,
        restrictions: [],
        is_default: true,
      },
    },
    {
      type: 'ManagementKeyCreated',
      data: { account_id: ACCOUNT, hash: 'hash-1', user_id: OWNER, name: null, ...NEW_KEY },
    },
  ];
}

export function memberAdded(userId: string): AccountEvent {
  return { type: 'MemberAdded', data: { account_id: ACCOUNT, user_id: userId } };
}

export function workspaceCreated(workspaceId: string, restrictions: string[] = []): AccountEvent {
  return {
    type: 'WorkspaceCreated',
    data: {
      account_id: ACCOUNT,
      workspace_id: workspaceId,
      name: workspaceId,
      slug: workspaceId,
      description: null,
      restrictions,
      is_default: false,
    },
  };
}

export function workspaceMemberAdded(workspaceId: string, userId: string): AccountEvent {
  return { type: 'WorkspaceMemberAdded', data: { workspace_id: workspaceId, user_id: userId } };
}

export function managementKeyCreated(hash: string, userId: string): AccountEvent {
  return {
    type: 'ManagementKeyCreated',
    data: { account_id: ACCOUNT, hash, user_id: userId, name: 'deploy' },
  };
}

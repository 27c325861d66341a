import type { Aggregate } from '../../kernel/aggregate.js';
import type { Happened } from '../../kernel/event.js';
import { type AccountEvent, accountEvents } from './account.events.js';

export type AccountKind = 'organization' | 'individual';

export function accountStream(accountId: string): string {
  return `account-${accountId}`;
}

export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly restrictions: readonly string[];
  readonly isDefault: boolean;
  /** Of the default workspace these are not kept: every member of the account is one. */
  readonly members: ReadonlySet<string>;
}

export interface ManagementKey {
  readonly hash: string;
  readonly userId: string;
  readonly revokedAt: string | null;
}

export interface OpenAccount {
  readonly status: 'open';
  readonly id: string;
  readonly kind: AccountKind;
  readonly ownerUserId: string;
  readonly defaultWorkspaceId: string;
  readonly members: ReadonlySet<string>;
  readonly workspaces: ReadonlyMap<string, Workspace>;
  readonly managementKeys: ReadonlyMap<string, ManagementKey>;
}

/** An account with everything that is decided together: members, workspaces, management keys (ADR 3). */
export type AccountState = { readonly status: 'none' } | OpenAccount;

const initial: AccountState = { status: 'none' };

function evolve(state: AccountState, event: Happened<AccountEvent>): AccountState {
  if (event.type === 'AccountCreated') {
    const { account_id, kind, owner_user_id, default_workspace_id } = event.data;
    return {
      status: 'open',
      id: account_id,
      kind,
      ownerUserId: owner_user_id,
      defaultWorkspaceId: default_workspace_id,
      members: new Set(),
      workspaces: new Map(),
      managementKeys: new Map(),
    };
  }
  return state.status === 'none' ? state : evolveOpen(state, event);
}

function evolveOpen(account: OpenAccount, event: Happened<AccountEvent>): OpenAccount {
  switch (event.type) {
    case 'AccountCreated':
      return account;
    case 'MemberAdded':
      return { ...account, members: withAdded(account.members, event.data.user_id) };
    case 'MemberRemoved':
      return { ...account, members: withRemoved(account.members, event.data.user_id) };
    case 'WorkspaceCreated': {
      const { workspace_id: id, name, restrictions, is_default: isDefault } = event.data;
      return withWorkspace(account, { id, name, restrictions, isDefault, members: new Set() });
    }
    case 'WorkspaceRestricted': {
      const { workspace_id, restrictions } = event.data;
      return changeWorkspace(account, workspace_id, () => ({ restrictions }));
    }
    case 'WorkspaceMemberAdded': {
      const { workspace_id, user_id } = event.data;
      return changeWorkspace(account, workspace_id, ({ members }) => ({
        members: withAdded(members, user_id),
      }));
    }
    case 'WorkspaceMemberRemoved': {
      const { workspace_id, user_id } = event.data;
      return changeWorkspace(account, workspace_id, ({ members }) => ({
        members: withRemoved(members, user_id),
      }));
    }
    case 'ManagementKeyCreated': {
      const { hash, user_id: userId } = event.data;
      return withManagementKey(account, { hash, userId, revokedAt: null });
    }
    case 'ManagementKeyRevoked': {
      const key = account.managementKeys.get(event.data.hash);
      return key
        ? withManagementKey(account, { ...key, revokedAt: event.metadata.occurred_at })
        : account;
    }
  }
}

/** Roughly, of a member, a workspace or a management key. */
const ENTRY_SIZE = 200;

function sizeOf(state: AccountState): number {
  if (state.status === 'none') return 1;
  const { members, workspaces, managementKeys } = state;
  return ENTRY_SIZE * (1 + members.size + workspaces.size + managementKeys.size);
}

export const account: Aggregate<AccountState, AccountEvent> = {
  events: accountEvents,
  initial,
  evolve,
  sizeOf,
};

function withWorkspace(account: OpenAccount, workspace: Workspace): OpenAccount {
  return { ...account, workspaces: new Map(account.workspaces).set(workspace.id, workspace) };
}

function changeWorkspace(
  account: OpenAccount,
  workspaceId: string,
  change: (workspace: Workspace) => Partial<Workspace>,
): OpenAccount {
  const workspace = account.workspaces.get(workspaceId);
  return workspace ? withWorkspace(account, { ...workspace, ...change(workspace) }) : account;
}

function withManagementKey(account: OpenAccount, key: ManagementKey): OpenAccount {
  return { ...account, managementKeys: new Map(account.managementKeys).set(key.hash, key) };
}

function withAdded(members: ReadonlySet<string>, userId: string): ReadonlySet<string> {
  return new Set(members).add(userId);
}

function withRemoved(members: ReadonlySet<string>, userId: string): ReadonlySet<string> {
  return new Set([...members].filter((member) => member !== userId));
}

import { OrderedMap, OrderedSet } from 'immutable';
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
  readonly members: OrderedSet<string>;
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
  readonly members: OrderedSet<string>;
  readonly workspaces: OrderedMap<string, Workspace>;
  readonly managementKeys: OrderedMap<string, ManagementKey>;
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
      members: OrderedSet(),
      workspaces: OrderedMap(),
      managementKeys: OrderedMap(),
    };
  }
  return state.status === 'none' ? state : evolveOpen(state, event);
}

function evolveOpen(account: OpenAccount, event: Happened<AccountEvent>): OpenAccount {
  switch (event.type) {
    case 'AccountCreated':
      return account;
    case 'MemberAdded':
      return { ...account, members: account.members.add(event.data.user_id) };
    case 'MemberRemoved':
      return { ...account, members: account.members.delete(event.data.user_id) };
    case 'WorkspaceCreated': {
      const { workspace_id: id, name, restrictions, is_default: isDefault } = event.data;
      const members = OrderedSet<string>();
      return withWorkspace(account, { id, name, restrictions, isDefault, members });
    }
    case 'WorkspaceRestricted': {
      const { workspace_id, restrictions } = event.data;
      return changeWorkspace(account, workspace_id, () => ({ restrictions }));
    }
    case 'WorkspaceMemberAdded': {
      const { workspace_id, user_id } = event.data;
      return changeWorkspace(account, workspace_id, ({ members }) => ({
        members: members.add(user_id),
      }));
    }
    case 'WorkspaceMemberRemoved': {
      const { workspace_id, user_id } = event.data;
      return changeWorkspace(account, workspace_id, ({ members }) => ({
        members: members.delete(user_id),
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
  const admitted = workspaces.reduce((sum, workspace) => sum + workspace.members.size, 0);
  return ENTRY_SIZE * (1 + members.size + workspaces.size + admitted + managementKeys.size);
}

export const account: Aggregate<AccountState, AccountEvent> = {
  events: accountEvents,
  initial,
  evolve,
  sizeOf,
};

function withWorkspace(account: OpenAccount, workspace: Workspace): OpenAccount {
  return { ...account, workspaces: account.workspaces.set(workspace.id, workspace) };
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
  return { ...account, managementKeys: account.managementKeys.set(key.hash, key) };
}

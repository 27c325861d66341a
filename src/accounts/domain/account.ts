import { Map as ImmutableMap, OrderedMap, OrderedSet } from 'immutable';
import type { Aggregate } from '../../kernel/aggregate.js';
import { notFound } from '../../kernel/errors.js';
import type { Happened } from '../../kernel/event.js';
import { charactersOf } from '../../kernel/text.js';
import { type AccountEvent, accountEvents } from './account.events.js';
import { evolveWorkspaces, type Workspace, type Workspaces } from './workspace.js';

export type AccountKind = 'organization' | 'individual';

export function accountStream(accountId: string): string {
  return `account-${accountId}`;
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
  readonly workspaces: Workspaces;
  readonly managementKeys: OrderedMap<string, ManagementKey>;
  /** Restrictions of workspaces that are gone, by id, where there were any: a key may be left in one (ADR 12). */
  readonly goneRestrictions: ImmutableMap<string, readonly string[]>;
}

/** An account with everything that is decided together: members, workspaces, management keys (ADR 3). */
export type AccountState = { readonly status: 'none' } | OpenAccount;

/** The account, or the refusal of one that was never opened. */
export function existing(state: AccountState): OpenAccount {
  if (state.status === 'none') throw notFound();
  return state;
}

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
      goneRestrictions: ImmutableMap(),
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
    case 'WorkspaceCreated':
    case 'WorkspaceRenamed':
    case 'WorkspaceSlugChanged':
    case 'WorkspaceDescriptionChanged':
    case 'WorkspaceRestricted':
    case 'WorkspaceMemberAdded':
    case 'WorkspaceMemberRemoved':
    case 'WorkspaceDeletionStarted':
    case 'WorkspaceDeletionCancelled':
      return { ...account, workspaces: evolveWorkspaces(account.workspaces, event) };
    case 'WorkspaceDeleted':
      return withoutWorkspace(account, event);
  }
}

function withoutWorkspace(
  account: OpenAccount,
  event: Extract<Happened<AccountEvent>, { type: 'WorkspaceDeleted' }>,
): OpenAccount {
  const { workspace_id: id } = event.data;
  const { restrictions = [] } = account.workspaces.get(id) ?? {};
  const workspaces = evolveWorkspaces(account.workspaces, event);
  if (restrictions.length === 0) return { ...account, workspaces };
  const goneRestrictions = account.goneRestrictions.set(id, restrictions);
  return { ...account, workspaces, goneRestrictions };
}

/** Roughly, of a member, a workspace without its texts, or a management key. */
const ENTRY_SIZE = 200;

function sizeOf(state: AccountState): number {
  if (state.status === 'none') return 1;
  const { members, workspaces, managementKeys } = state;
  const admitted = workspaces.reduce((sum, workspace) => sum + workspace.members.size, 0);
  const texts = workspaces.reduce((sum, workspace) => sum + textsOf(workspace), 0);
  const gone = state.goneRestrictions.reduce((sum, all) => sum + ENTRY_SIZE + charactersOf(all), 0);
  const entries = 1 + members.size + workspaces.size + admitted + managementKeys.size;
  return ENTRY_SIZE * entries + texts + gone;
}

function textsOf(workspace: Workspace): number {
  return charactersOf(workspace) + charactersOf(workspace.restrictions);
}

export const account: Aggregate<AccountState, AccountEvent> = {
  events: accountEvents,
  initial,
  evolve,
  sizeOf,
};

function withManagementKey(account: OpenAccount, key: ManagementKey): OpenAccount {
  return { ...account, managementKeys: account.managementKeys.set(key.hash, key) };
}

import { OrderedMap } from 'immutable';
import type { Aggregate } from '../../kernel/aggregate.js';
import { notFound } from '../../kernel/errors.js';
import type { Happened } from '../../kernel/event.js';
import { type AccountEvent, accountEvents } from './account.events.js';
import { sizeOfManagementKey, sizeOfMember, sizeOfMemberships } from './account-size.js';
import { evolveWorkspaces, type Workspace, type Workspaces } from './workspace.js';
import type { WorkspaceEvent } from './workspace.events.js';

export type AccountKind = 'organization' | 'individual';

export function accountStream(accountId: string): string {
  return `account-${accountId}`;
}

/** Returns the id of the account that has this stream; undefined for a stream of another kind. */
export function accountOfStream(stream: string): string | undefined {
  return stream.startsWith('account-') ? stream.slice('account-'.length) : undefined;
}

export interface ManagementKey {
  readonly hash: string;
  readonly user_id: string;
  readonly revoked_at: string | null;
}

export interface OpenAccount {
  readonly status: 'open';
  readonly id: string;
  readonly kind: AccountKind;
  readonly owner_user_id: string;
  readonly default_workspace_id: string;
  /** A random string that seals the cursors of callers. No answer shows it. */
  readonly secret: string;
  /** The user ids, each as key and value, so that memberships and management keys can share the string in memory. */
  readonly members: OrderedMap<string, string>;
  readonly workspaces: Workspaces;
  readonly managementKeys: OrderedMap<string, ManagementKey>;
  /** The memory that the account takes, in bytes, roughly. */
  readonly size: number;
}

/** The state of an account, with members, workspaces and management keys, which are decided together (ADR 3). */
export type AccountState = { readonly status: 'none' } | OpenAccount;

/** Returns the state of an open account. @throws Refusal when the account does not exist. */
export function existing(state: AccountState): OpenAccount {
  if (state.status === 'none') throw notFound();
  return state;
}

/** The memory that an empty account takes, in bytes. */
const EMPTY_SIZE = 1_000;

const initial: AccountState = { status: 'none' };

function evolve(state: AccountState, event: Happened<AccountEvent>): AccountState {
  if (event.type === 'AccountCreated') {
    const { account_id, kind, owner_user_id, default_workspace_id } = event.data;
    return {
      status: 'open',
      id: account_id,
      kind,
      owner_user_id,
      default_workspace_id,
      secret: event.metadata.causation_id,
      members: OrderedMap(),
      workspaces: OrderedMap(),
      managementKeys: OrderedMap(),
      size: EMPTY_SIZE,
    };
  }
  return state.status === 'none' ? state : evolveOpen(state, event);
}

function evolveOpen(account: OpenAccount, event: Happened<AccountEvent>): OpenAccount {
  switch (event.type) {
    case 'AccountCreated':
      return account;
    case 'MemberAdded':
      return withMember(account, event.data.user_id);
    case 'MemberRemoved':
      return withoutMember(account, event.data.user_id);
    case 'ManagementKeyCreated': {
      const { hash } = event.data;
      const user_id = sharedUserId(account, event.data.user_id);
      return withManagementKey(account, { hash, user_id, revoked_at: null });
    }
    case 'ManagementKeyRevoked': {
      const key = account.managementKeys.get(event.data.hash);
      return key
        ? withManagementKey(account, { ...key, revoked_at: event.metadata.occurred_at })
        : account;
    }
    case 'WorkspaceMemberAdded': {
      const user_id = sharedUserId(account, event.data.user_id);
      return withWorkspaces(account, { ...event, data: { ...event.data, user_id } });
    }
    case 'WorkspaceCreated':
    case 'WorkspaceRenamed':
    case 'WorkspaceSlugChanged':
    case 'WorkspaceDescriptionChanged':
    case 'WorkspaceRestricted':
    case 'WorkspaceMemberRemoved':
    case 'WorkspaceDeletionStarted':
    case 'WorkspaceDeletionCancelled':
    case 'WorkspaceDeleted':
      return withWorkspaces(account, event);
  }
}

/** Returns the string that `members` already holds for a user id; the given string when the user is no member. */
function sharedUserId({ members }: OpenAccount, userId: string): string {
  return members.get(userId, userId);
}

function withMember(account: OpenAccount, userId: string): OpenAccount {
  if (account.members.has(userId)) return account;
  const members = account.members.set(userId, userId);
  return { ...account, members, size: account.size + sizeOfMember(userId) };
}

function withoutMember(account: OpenAccount, userId: string): OpenAccount {
  if (!account.members.has(userId)) return account;
  const members = account.members.delete(userId);
  return { ...account, members, size: account.size - sizeOfMember(userId) };
}

function withManagementKey(account: OpenAccount, key: ManagementKey): OpenAccount {
  const isNew = !account.managementKeys.has(key.hash);
  const managementKeys = account.managementKeys.set(key.hash, key);
  const size = account.size + (isNew ? sizeOfManagementKey(key.hash) : 0);
  return { ...account, managementKeys, size };
}

function withWorkspaces(account: OpenAccount, event: Happened<WorkspaceEvent>): OpenAccount {
  const { workspace_id: id } = event.data;
  const workspaces = evolveWorkspaces(account.workspaces, event);
  const [before, after] = [account.workspaces.get(id), workspaces.get(id)];
  const size = account.size + sizeOfWorkspace(after) - sizeOfWorkspace(before);
  return { ...account, workspaces, size };
}

function sizeOfWorkspace(workspace: Workspace | undefined): number {
  return workspace ? workspace.size + sizeOfMemberships(workspace.members.size) : 0;
}

export const account: Aggregate<AccountState, AccountEvent> = {
  events: accountEvents,
  initial,
  evolve,
  sizeOf: (state) => (state.status === 'none' ? 1 : state.size),
};

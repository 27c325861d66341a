import { OrderedMap } from 'immutable';
import type { AccountKind } from '../../../kernel/account-kind.js';
import type { Aggregate } from '../../../kernel/aggregate.js';
import { notFound } from '../../../kernel/errors.js';
import type { Happened } from '../../../kernel/event.js';
import type { Role } from '../../../kernel/role.js';
import type { Budget } from '../../budgets/domain/budget.js';
import { type AccountEvent, accountEvents } from './account.events.js';
import type { WorkspaceBudgetEvent } from './budget.events.js';
import { evolveWorkspaces, type Workspaces } from './workspace.js';
import type { WorkspaceEvent } from './workspace.events.js';

export function accountStream(accountId: string): string {
  return `account-${accountId}`;
}

/** Returns the id of the account that has this stream; undefined for a stream of another kind. */
export function accountOfStream(stream: string): string | undefined {
  return stream.startsWith('account-') ? stream.slice('account-'.length) : undefined;
}

/** A management key that is not revoked. It may have expired. */
export interface ManagementKey {
  readonly hash: string;
  readonly user_id: string;
  readonly name: string | null;
  readonly role: Role;
  /** ISO 8601 UTC; null for never. */
  readonly expires_at: string | null;
}

export interface OpenAccount {
  readonly status: 'open';
  readonly id: string;
  readonly kind: AccountKind;
  readonly name: string;
  readonly owner_user_id: string;
  readonly default_workspace_id: string;
  /** A random string that seals cursors. Only the log has it, and every fold of it yields it. */
  readonly cursor_secret: string;
  /** User ids as keys and values, so that memberships and management keys share their strings. */
  readonly members: OrderedMap<string, string>;
  readonly workspaces: Workspaces;
  /** Those not revoked, without expired ones whose place a new one took. */
  readonly managementKeys: OrderedMap<string, ManagementKey>;
  /** The budget of each end user without one of their own. */
  readonly end_user_budget: Budget | null;
}

/** An account with what is decided together: members, workspaces and management keys (ADR 3). */
export type AccountState = { readonly status: 'none' } | OpenAccount;

/** Returns the state of an open account. @throws Refusal when the account does not exist. */
export function requireAccount(state: AccountState): OpenAccount {
  if (state.status === 'none') throw notFound();
  return state;
}

const initial: AccountState = { status: 'none' };

function evolve(state: AccountState, event: Happened<AccountEvent>): AccountState {
  if (event.type === 'AccountCreated') {
    const { account_id, kind, name, owner_user_id, default_workspace_id } = event.data;
    return {
      status: 'open',
      id: account_id,
      kind,
      name,
      owner_user_id,
      default_workspace_id,
      cursor_secret: event.metadata.causation_id,
      members: OrderedMap(),
      workspaces: OrderedMap(),
      managementKeys: OrderedMap(),
      end_user_budget: null,
    };
  }
  return state.status === 'none' ? state : evolveOpen(state, event);
}

function evolveOpen(account: OpenAccount, event: Happened<AccountEvent>): OpenAccount {
  switch (event.type) {
    case 'AccountCreated':
      return account;
    case 'MemberAdded':
      return { ...account, members: account.members.set(event.data.user_id, event.data.user_id) };
    case 'MemberRemoved':
      return { ...account, members: account.members.delete(event.data.user_id) };
    case 'ManagementKeyCreated': {
      const { hash, name, role = 'admin', expires_at = null, displaces = '' } = event.data;
      const user_id = sharedUserId(account, event.data.user_id);
      const key = { hash, user_id, name, role, expires_at };
      const managementKeys = account.managementKeys.delete(displaces).set(hash, key);
      return { ...account, managementKeys };
    }
    case 'ManagementKeyRevoked':
      return { ...account, managementKeys: account.managementKeys.delete(event.data.hash) };
    case 'AccountEndUserBudgetSet':
      return { ...account, end_user_budget: event.data.budget };
    case 'AccountEndUserBudgetRemoved':
      return { ...account, end_user_budget: null };
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
    case 'WorkspaceBudgetSet':
    case 'WorkspaceBudgetRemoved':
    case 'WorkspaceDeleted':
      return withWorkspaces(account, event);
    default:
      return event satisfies never;
  }
}

/** Returns the string that `members` holds for a user id; the given one when there is none. */
function sharedUserId({ members }: OpenAccount, userId: string): string {
  return members.get(userId, userId);
}

function withWorkspaces(
  account: OpenAccount,
  event: Happened<WorkspaceEvent | WorkspaceBudgetEvent>,
): OpenAccount {
  return { ...account, workspaces: evolveWorkspaces(account.workspaces, event) };
}

/** Roughly the bytes of a member or a membership, with its share of a map. */
const ENTRY_SIZE = 300;
/** The bytes of a management key, if its name is long. */
const MANAGEMENT_KEY_SIZE = 1_000;
/** The bytes of a workspace without its members, with a budget and many long restrictions. */
const WORKSPACE_SIZE = 4_100;

function accountSize({ members, managementKeys, workspaces }: OpenAccount): number {
  const memberships = workspaces.reduce((sum, workspace) => sum + workspace.members.size, 0);
  const entries = ENTRY_SIZE * (members.size + memberships);
  return entries + MANAGEMENT_KEY_SIZE * managementKeys.size + WORKSPACE_SIZE * workspaces.size;
}

export const account: Aggregate<AccountState, AccountEvent> = {
  streamOf: accountStream,
  events: accountEvents,
  initial,
  evolve,
  sizeOf: (state) => (state.status === 'none' ? 1 : accountSize(state)),
};

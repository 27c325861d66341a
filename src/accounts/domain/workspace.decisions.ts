import { notFound, Refusal } from '../../kernel/errors.js';
import { type AccountState, existing, type OpenAccount } from './account.js';
import { keptRestriction } from './kept-restriction.js';
import { type AccountQuotas, withinQuota } from './quotas.js';
import { freeSlugOf } from './slug.js';
import type { Workspace } from './workspace.js';
import type { WorkspaceEvent } from './workspace.events.js';

/** A workspace that is wanted. */
export interface NewWorkspace {
  readonly workspaceId: string;
  readonly name: string;
  /** Made of the name when absent. */
  readonly slug?: string | undefined;
  readonly description?: string | null;
  readonly restrictions: readonly string[];
}

/**
 * Adds a workspace without members to an account.
 * @throws Refusal when the slug is taken, or the quota of the account is used up.
 */
export function createWorkspace(
  state: AccountState,
  wanted: NewWorkspace,
  quotas: AccountQuotas,
): WorkspaceEvent[] {
  const account = existing(state);
  const { workspaceId, name, slug, description = null, restrictions } = wanted;
  const taken = new Set([...account.workspaces.values()].map((workspace) => workspace.slug));
  if (slug !== undefined && taken.has(slug)) throw new Refusal('workspace-slug-taken');
  const created: WorkspaceEvent = {
    type: 'WorkspaceCreated',
    data: {
      account_id: account.id,
      workspace_id: workspaceId,
      name,
      slug: slug ?? freeSlugOf(name, taken),
      description,
      restrictions: asSet(restrictions),
      is_default: false,
    },
  };
  return withinQuota(account, [created], 'workspaces', quotas);
}

/** Fields that are absent stay as they are. */
export interface WorkspaceChanges {
  readonly name?: string;
  readonly slug?: string;
  readonly description?: string | null;
  readonly restrictions?: readonly string[];
}

/** One event for each thing that changes; none when everything has the wanted value already. */
export function updateWorkspace(
  state: AccountState,
  idOrSlug: string,
  { name, slug, description, restrictions }: WorkspaceChanges,
): WorkspaceEvent[] {
  const account = existing(state);
  const workspace = existingWorkspace(account, idOrSlug);
  return [
    ...(name === undefined ? [] : rename(workspace, name)),
    ...(slug === undefined ? [] : changeSlug(account, workspace, slug)),
    ...(description === undefined ? [] : describe(workspace, description)),
    ...(restrictions === undefined ? [] : restrict(workspace, restrictions)),
  ];
}

function rename({ id, name: previous_name }: Workspace, name: string): WorkspaceEvent[] {
  if (name === previous_name) return [];
  return [{ type: 'WorkspaceRenamed', data: { workspace_id: id, name, previous_name } }];
}

function changeSlug(
  account: OpenAccount,
  { id, slug: previous_slug }: Workspace,
  slug: string,
): WorkspaceEvent[] {
  if (slug === previous_slug) return [];
  if (account.workspaces.some((other) => other.slug === slug)) {
    throw new Refusal('workspace-slug-taken');
  }
  return [{ type: 'WorkspaceSlugChanged', data: { workspace_id: id, slug, previous_slug } }];
}

function describe(workspace: Workspace, description: string | null): WorkspaceEvent[] {
  const { id: workspace_id, description: previous_description } = workspace;
  if (description === previous_description) return [];
  return [
    {
      type: 'WorkspaceDescriptionChanged',
      data: { workspace_id, description, previous_description },
    },
  ];
}

/** Sets the whole set of restrictions; the set it has already is no change. */
function restrict(workspace: Workspace, restrictions: readonly string[]): WorkspaceEvent[] {
  const wanted = asSet(restrictions);
  const kept = wanted.map(keptRestriction);
  if (kept.join('\0') === workspace.restrictions.join('\0')) return [];
  return [
    {
      type: 'WorkspaceRestricted',
      data: {
        workspace_id: workspace.id,
        restrictions: wanted,
        previous_restrictions: [...workspace.restrictions],
      },
    },
  ];
}

type MembershipEvent = Extract<
  WorkspaceEvent,
  { type: 'WorkspaceMemberAdded' | 'WorkspaceMemberRemoved' }
>;

/**
 * Adds members of the account to a workspace, all or none. A user who is a member of the workspace already stays one.
 * @throws Refusal when a user is no member of the account, the workspace is the default one, or a quota is used up.
 */
export function addWorkspaceMembers(
  state: AccountState,
  idOrSlug: string,
  userIds: readonly string[],
  quotas: AccountQuotas,
): MembershipEvent[] {
  const account = existing(state);
  const { id, members } = workspaceWithOwnMembers(account, idOrSlug);
  const joining = membersOf(account, userIds).filter((userId) => !members.has(userId));
  const added = joining.map((userId): MembershipEvent => ({
    type: 'WorkspaceMemberAdded',
    data: { workspace_id: id, user_id: userId },
  }));
  return withinQuota(account, added, 'workspaceMembers', quotas);
}

/**
 * Ends memberships of a workspace, all or none. A user who is no member of the workspace is passed over.
 * @throws Refusal when a user is no member of the account, or the workspace is the default one.
 */
export function removeWorkspaceMembers(
  state: AccountState,
  idOrSlug: string,
  userIds: readonly string[],
): MembershipEvent[] {
  const account = existing(state);
  const { id, members } = workspaceWithOwnMembers(account, idOrSlug);
  const leaving = membersOf(account, userIds).filter((userId) => members.has(userId));
  return leaving.map((userId) => memberLeaves(id, userId));
}

/**
 * How many memberships one append ends. EventStoreDB takes 1 MiB in an append, and an event with the longest ids, of
 * characters that JSON escapes, takes 7 KB with its metadata.
 */
export const MEMBERSHIPS_END_AT_ONCE = 100;

export function memberLeaves(workspaceId: string, userId: string): MembershipEvent {
  return { type: 'WorkspaceMemberRemoved', data: { workspace_id: workspaceId, user_id: userId } };
}

/** The users once each. @throws Refusal naming those who are no members of the account. */
function membersOf(account: OpenAccount, userIds: readonly string[]): string[] {
  const users = [...new Set(userIds)];
  const strangers = users.filter((userId) => !account.members.has(userId));
  if (strangers.length > 0) {
    throw new Refusal('member-unknown', {
      issues: [{ path: 'user_ids', message: 'names users who are no members of the account' }],
      user_ids: strangers,
    });
  }
  return users;
}

/** By its id or its slug. @throws Refusal when there is none. */
export function existingWorkspace(account: OpenAccount, idOrSlug: string): Workspace {
  const workspace =
    account.workspaces.get(idOrSlug) ?? account.workspaces.find(({ slug }) => slug === idOrSlug);
  if (!workspace) throw notFound();
  return workspace;
}

function workspaceWithOwnMembers(account: OpenAccount, idOrSlug: string): Workspace {
  const workspace = existingWorkspace(account, idOrSlug);
  if (workspace.is_default) throw new Refusal('default-workspace-members-fixed');
  return workspace;
}

/** @throws Refusal when there is no such workspace, or it is the default one. */
export function deletableWorkspace(state: AccountState, idOrSlug: string): Workspace {
  const workspace = existingWorkspace(existing(state), idOrSlug);
  if (workspace.is_default) throw new Refusal('default-workspace-not-deletable');
  return workspace;
}

/**
 * Deletes a workspace; its memberships end with it.
 * The caller has found that it holds no keys (ADR 22).
 * @throws Refusal as `deletableWorkspace` does.
 */
export function deleteWorkspace(
  state: AccountState,
  workspaceId: string,
  deletionId: string,
): WorkspaceEvent[] {
  const { id } = deletableWorkspace(state, workspaceId);
  const data = { account_id: existing(state).id, workspace_id: id, deletion_id: deletionId };
  return [{ type: 'WorkspaceDeleted', data }];
}

function asSet(restrictions: readonly string[]): string[] {
  return [...new Set(restrictions)].sort();
}

import { notFound, Refusal } from '../../../kernel/errors.js';
import { type AccountState, requireAccount, type OpenAccount } from './account.js';
import { type AccountQuotas, withinQuota } from './quotas.js';
import { freeSlugOf } from './slug.js';
import type { WorkspaceEvent } from './workspace.events.js';
import type { Workspace } from './workspace.js';

/** The fields of a new workspace. A field that is absent or null has its default. */
export interface NewWorkspace {
  readonly name: string;
  /** By default, the service makes the slug from the name. */
  readonly slug?: string | null;
  readonly description?: string | null;
  readonly restrictions?: readonly string[] | null;
}

/** Adds a workspace without members. @throws Refusal for a taken slug or a used-up quota. */
export function createWorkspace(
  state: AccountState,
  workspaceId: string,
  { name, slug, description, restrictions }: NewWorkspace,
  quotas: AccountQuotas,
): WorkspaceEvent[] {
  const account = requireAccount(state);
  const taken = slugsOf(account);
  if (slug != null && taken.has(slug)) throw new Refusal('workspace-slug-taken');
  const created: WorkspaceEvent = {
    type: 'WorkspaceCreated',
    data: {
      account_id: account.id,
      workspace_id: workspaceId,
      name,
      slug: slug ?? freeSlugOf(name, taken),
      description: description ?? null,
      restrictions: asSet(restrictions ?? []),
      is_default: false,
    },
  };
  return withinQuota(account, [created], 'workspaces', quotas);
}

type MembershipEvent = Extract<
  WorkspaceEvent,
  { type: 'WorkspaceMemberAdded' | 'WorkspaceMemberRemoved' }
>;

/**
 * Adds members of the account to a workspace, all or none. Skips members of the workspace.
 * @throws Refusal for users not of the account, the default workspace, and a used-up quota.
 */
export function addWorkspaceMembers(
  state: AccountState,
  idOrSlug: string,
  userIds: readonly string[],
  quotas: AccountQuotas,
): MembershipEvent[] {
  const account = requireAccount(state);
  const { id, members } = workspaceWithOwnMembers(account, idOrSlug);
  const joining = membersOf(account, userIds).filter((userId) => !members.has(userId));
  const added = joining.map((user_id): MembershipEvent => ({
    type: 'WorkspaceMemberAdded',
    data: { workspace_id: id, user_id },
  }));
  return withinQuota(account, added, 'workspaceMembers', quotas);
}

/**
 * Ends memberships of a workspace, all or none. Skips users who are no members of it.
 * @throws Refusal for a user who is no member of the account, and for the default workspace.
 */
export function removeWorkspaceMembers(
  state: AccountState,
  idOrSlug: string,
  userIds: readonly string[],
): MembershipEvent[] {
  const account = requireAccount(state);
  const { id, members } = workspaceWithOwnMembers(account, idOrSlug);
  const leaving = membersOf(account, userIds).filter((userId) => members.has(userId));
  return leaving.map((userId) => memberLeaves(id, userId));
}

/**
 * The maximum number of workspace memberships and management keys that one append ends.
 * EventStoreDB accepts at most 1 MiB in an append. An event with its metadata has up to 7 KB, if
 * all ids have the maximum length and JSON escapes all characters of the ids.
 */
export const MEMBERSHIPS_END_AT_ONCE = 100;

export function memberLeaves(workspace_id: string, user_id: string): MembershipEvent {
  return { type: 'WorkspaceMemberRemoved', data: { workspace_id, user_id } };
}

/** Returns each user id once. @throws Refusal that names who is no member of the account. */
function membersOf(account: OpenAccount, userIds: readonly string[]): string[] {
  const users = [...new Set(userIds)];
  const strangers = users.filter((userId) => !account.members.has(userId));
  if (strangers.length > 0) {
    throw new Refusal('member-unknown', {
      issues: [{ path: 'user_ids', message: 'names users who are not members of the account' }],
      user_ids: strangers,
    });
  }
  return users;
}

/** Finds a workspace by its id or its slug. @throws Refusal when there is no such workspace. */
export function requireWorkspace(account: OpenAccount, idOrSlug: string): Workspace {
  const workspace =
    account.workspaces.get(idOrSlug) ?? account.workspaces.find(({ slug }) => slug === idOrSlug);
  if (!workspace) throw notFound();
  return workspace;
}

function workspaceWithOwnMembers(account: OpenAccount, idOrSlug: string): Workspace {
  const workspace = requireWorkspace(account, idOrSlug);
  if (workspace.is_default) throw new Refusal('default-workspace-members-fixed');
  return workspace;
}

/** Finds a workspace that may be deleted. @throws Refusal for an unknown and the default one. */
export function requireDeletableWorkspace(state: AccountState, idOrSlug: string): Workspace {
  const workspace = requireWorkspace(requireAccount(state), idOrSlug);
  if (workspace.is_default) throw new Refusal('default-workspace-not-deletable');
  return workspace;
}

/**
 * Deletes a workspace and its memberships. The caller has checked that it holds no keys (ADR 22).
 * @throws Refusal when the workspace does not exist, or is the default workspace.
 */
export function deleteWorkspace(state: AccountState, workspaceId: string): WorkspaceEvent[] {
  const { id } = requireDeletableWorkspace(state, workspaceId);
  const data = { account_id: requireAccount(state).id, workspace_id: id };
  return [{ type: 'WorkspaceDeleted', data }];
}

export function slugsOf({ workspaces }: OpenAccount): ReadonlySet<string> {
  return new Set([...workspaces.values()].map(({ slug }) => slug));
}

/** Returns restrictions in the form in which events store them: sorted, and each once. */
export function asSet(restrictions: readonly string[]): string[] {
  return [...new Set(restrictions)].sort();
}

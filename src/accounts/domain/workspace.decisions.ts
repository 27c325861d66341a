import { notFound, Refusal } from '../../kernel/errors.js';
import { type AccountState, existing, type OpenAccount } from './account.js';
import { keptRestriction } from './kept-restriction.js';
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

/** Without members. @throws Refusal when the slug is taken. */
export function createWorkspace(state: AccountState, wanted: NewWorkspace): WorkspaceEvent[] {
  const account = existing(state);
  const { workspaceId, name, slug, description = null, restrictions } = wanted;
  const taken = new Set([...account.workspaces.values()].map((workspace) => workspace.slug));
  if (slug !== undefined && taken.has(slug)) throw new Refusal('workspace-slug-taken');
  return [
    {
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
    },
  ];
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

/** Lets a member of the account into a workspace that the user is no member of yet. */
export function addWorkspaceMember(
  state: AccountState,
  workspaceId: string,
  userId: string,
): WorkspaceEvent[] {
  const joined = addWorkspaceMembers(state, workspaceId, [userId]);
  if (joined.length === 0) throw new Refusal('workspace-member-already-added');
  return joined;
}

/** @throws Refusal when the user is no member of it, or it is the default one, whose members are those of the account. */
export function removeWorkspaceMember(
  state: AccountState,
  workspaceId: string,
  userId: string,
): WorkspaceEvent[] {
  const workspace = workspaceWithOwnMembers(existing(state), workspaceId);
  if (!workspace.members.has(userId)) throw new Refusal('workspace-member-unknown');
  return [memberLeaves(workspace.id, userId)];
}

/** Lets members of the account into a workspace, all or none; who is in it already stays. */
export function addWorkspaceMembers(
  state: AccountState,
  idOrSlug: string,
  userIds: readonly string[],
): MembershipEvent[] {
  const account = existing(state);
  const { id, members } = workspaceWithOwnMembers(account, idOrSlug);
  return membersOf(account, userIds)
    .filter((userId) => !members.has(userId))
    .map((userId) => ({
      type: 'WorkspaceMemberAdded',
      data: { workspace_id: id, user_id: userId },
    }));
}

/** Ends memberships of a workspace, all or none; who is not in it stays out. */
export function removeWorkspaceMembers(
  state: AccountState,
  idOrSlug: string,
  userIds: readonly string[],
): MembershipEvent[] {
  const account = existing(state);
  const { id, members } = workspaceWithOwnMembers(account, idOrSlug);
  return membersOf(account, userIds)
    .filter((userId) => members.has(userId))
    .map((userId) => memberLeaves(id, userId));
}

/**
 * In one append, of which EventStoreDB takes 1 MiB: an event with ids as long as they may be, of characters that JSON
 * escapes, takes 7 KB with its metadata.
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

import { Refusal } from '../../kernel/errors.js';
import { type AccountState, existing } from './account.js';
import { existingWorkspace, memberLeaves, MEMBERSHIPS_END_AT_ONCE } from './workspace.decisions.js';
import type { Workspace } from './workspace.js';
import type { WorkspaceEvent } from './workspace.events.js';

/**
 * Whoever cannot say for so long whether a workspace may go is taken for dead: a deletion that old is cancelled by
 * the first who waits for it (ADR 12).
 */
export const DELETION_DECIDED_WITHIN_MS = 10_000;

/** The workspace that shall go. @throws Refusal when there is none, or it is the default one. */
export function deletable(state: AccountState, idOrSlug: string): Workspace {
  const workspace = existingWorkspace(existing(state), idOrSlug);
  if (workspace.is_default) throw new Refusal('default-workspace-not-deletable');
  return workspace;
}

/** From here on keys come into the workspace only if it stays. Joins a deletion that was started before. */
export function startDeletion(
  state: AccountState,
  idOrSlug: string,
  deletionId: string,
): WorkspaceEvent[] {
  const { id, deletion } = deletable(state, idOrSlug);
  if (deletion) return [];
  return [
    {
      type: 'WorkspaceDeletionStarted',
      data: { workspace_id: id, deletion_id: deletionId },
    },
  ];
}

export interface StartedDeletion {
  readonly workspaceId: string;
  readonly deletionId: string;
}

/**
 * Decides a deletion. One that is decided already, or another one, is left alone. Of a workspace that goes and has very many
 * members, some leave: ask again until it is gone.
 */
export function decideDeletion(
  state: AccountState,
  { workspaceId, deletionId }: StartedDeletion,
  mayGo: boolean,
): WorkspaceEvent[] {
  const account = existing(state);
  const workspace = account.workspaces.get(workspaceId);
  if (workspace?.deletion?.id !== deletionId) return [];
  const data = { workspace_id: workspaceId, deletion_id: deletionId };
  if (!mayGo) return [{ type: 'WorkspaceDeletionCancelled', data }];
  const leaving = workspace.members
    .toArray()
    .slice(0, MEMBERSHIPS_END_AT_ONCE)
    .map((userId) => memberLeaves(workspaceId, userId));
  if (leaving.length < workspace.members.size) return leaving;
  return [...leaving, { type: 'WorkspaceDeleted', data: { account_id: account.id, ...data } }];
}

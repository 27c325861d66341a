import type { AccountFacts } from '../accounts/published/account-facts.js';
import type { WorkspaceDirectory } from '../accounts/published/workspace-directory.js';
import { Unavailable } from '../kernel/errors.js';
import type { Position } from '../kernel/position.js';
import { effectiveKey, type Key } from './domain/key.js';

interface KeysRead {
  readonly keys: readonly Key[];
  readonly position: Position;
}

/**
 * Returns the keys of `read` as callers see them: a key whose workspace was deleted is disabled (ADR 22). One look-up
 * asks about all workspaces.
 * @param defaultWorkspaceId the default workspace of the account, which is never deleted.
 */
export async function effectiveKeys<Read extends KeysRead>(
  workspaces: WorkspaceDirectory,
  defaultWorkspaceId: string,
  read: Read,
): Promise<Read> {
  const ids = new Set(read.keys.map((key) => key.workspace_id));
  ids.delete(defaultWorkspaceId);
  if (ids.size === 0) return read;
  const { found: gone, position } = await workspaces.goneWorkspaces([...ids], read.position);
  return {
    ...read,
    keys: read.keys.map((key) => effectiveKey(key, !gone.has(key.workspace_id))),
    position: position < read.position ? position : read.position,
  };
}

/**
 * Returns a key after a decision as callers see it. The workspace of the key may have been deleted meanwhile (ADR 22).
 * The decision is stored, so an unavailable log does not fail the request: the function then returns the key unchanged.
 */
export async function effectiveKeyDecided(accounts: AccountFacts, key: Key): Promise<Key> {
  try {
    const [workspace] = await accounts.workspaces(key.account_id, [key.workspace_id]);
    return effectiveKey(key, workspace !== undefined);
  } catch (error) {
    if (error instanceof Unavailable) return key;
    throw error;
  }
}

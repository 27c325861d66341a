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
 * The keys of a read as callers see them, after one look-up of their workspaces (ADR 22).
 * @param defaultWorkspaceId of their account; that workspace is never deleted.
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
 * A key as its caller sees it after a decision: its workspace may have been deleted meanwhile (ADR 22).
 * The decision is stored, so a log that fails now does not fail the request: the key has its own flag then.
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

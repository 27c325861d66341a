import type { AccountFacts } from '../accounts/published/account-facts.js';
import type { WorkspaceDirectory } from '../accounts/published/workspace-directory.js';
import { Unavailable } from '../../kernel/errors.js';
import type { Position } from '../../kernel/position.js';
import { effectiveKey, type Key } from './domain/key.js';

export interface KeysRead {
  readonly keys: readonly Key[];
  /** The log position that the keys reflect at least. */
  readonly position: Position;
  readonly isLate: boolean;
}

/**
 * Returns `read` with its keys as callers see them: a key whose workspace was deleted counts as disabled (ADR 22). One
 * look-up asks about the workspaces of all keys.
 * @param account the account of all these keys. Its default workspace is never deleted.
 * @throws Unreadable when the account is parked in the account directory, and a key is in another workspace.
 */
export async function effectiveKeys<Read extends KeysRead>(
  workspaces: WorkspaceDirectory,
  account: { readonly accountId: string; readonly defaultWorkspaceId: string },
  read: Read,
): Promise<Read> {
  const ids = new Set(read.keys.map((key) => key.workspace_id));
  ids.delete(account.defaultWorkspaceId);
  if (ids.size === 0) return read;
  const { found: gone, isLate } = await workspaces.goneWorkspaces(
    account.accountId,
    [...ids],
    read.position,
  );
  return {
    ...read,
    keys: read.keys.map((key) => effectiveKey(key, !gone.has(key.workspace_id))),
    isLate: read.isLate || isLate,
  };
}

/**
 * Returns a key as callers see it, after a decision about the key was stored. The workspace of the key may have been
 * deleted meanwhile (ADR 22). When the log is unavailable, the function returns the key unchanged and does not throw,
 * because the decision is stored.
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

import { accountDirectory } from '../account-directory/account-directory.projection.js';
import type { Position } from '../../kernel/position.js';
import type { Read } from '../../kernel/read.js';

/** The questions about workspaces that queries of other features ask. Each answer sees every write answered before it. */
export interface WorkspaceDirectory {
  /** Whether an account has a workspace of this id. */
  hasWorkspace(accountId: string, workspaceId: string): Promise<Read<boolean>>;

  /**
   * Gives the ids of those workspaces that were deleted.
   * @param ids of workspaces that existed at `seenAt`.
   * @param seenAt the log position of the read that gave the ids. A directory that is behind it gives none.
   */
  goneWorkspaces(ids: readonly string[], seenAt: Position): Promise<Read<ReadonlySet<string>>>;
}

export const WORKSPACE_DIRECTORY = Symbol('WorkspaceDirectory');

/** The read model behind it. */
export const WORKSPACE_READ_MODEL = accountDirectory.name;

import type { Position } from '../../kernel/position.js';
import type { Read } from '../../kernel/read.js';

/** What other features may ask of workspaces when they answer a query. Each answer sees every write answered before it. */
export interface WorkspaceDirectory {
  /** Whether an account has a workspace of this id. */
  hasWorkspace(accountId: string, workspaceId: string): Promise<Read<boolean>>;

  /**
   * Those of these workspaces that were deleted.
   * @param seenAt the log position of the read that named them. None counts as deleted before that is reached.
   */
  goneWorkspaces(ids: readonly string[], seenAt: Position): Promise<Read<ReadonlySet<string>>>;
}

export const WORKSPACE_DIRECTORY = Symbol('WorkspaceDirectory');

import type { Position } from '../../../kernel/position.js';
import type { Read } from '../../../kernel/read.js';

/** The workspace queries for other features. A query waits, with a time-out, for all writes answered before the query. */
export interface WorkspaceDirectory {
  hasWorkspace(accountId: string, workspaceId: string): Promise<Read<boolean>>;

  /**
   * Returns the ids that belong to deleted workspaces. Does not wait: the keys were read from the same read side.
   * @param ids the ids of workspaces of the account that existed at `seenAt`.
   * @param seenAt the log position of the query that returned the ids. A read side behind this position returns no id.
   * @throws Unreadable when the account is parked, because the directory then lacks workspaces that exist.
   */
  goneWorkspaces(
    accountId: string,
    ids: readonly string[],
    seenAt: Position,
  ): Promise<ReadonlySet<string>>;
}

export const WORKSPACE_DIRECTORY = Symbol('WorkspaceDirectory');

/** The question about keys that decides whether a workspace may be deleted. The keys feature answers it. */
export interface WorkspaceKeys {
  /**
   * Counts the keys that a workspace holds, without deleted ones, at a point of the log that is not before the call.
   * @throws Unavailable when the answer does not come in time.
   */
  count(workspaceId: string): Promise<number>;
}

export const WORKSPACE_KEYS = Symbol('WorkspaceKeys');

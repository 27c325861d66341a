/** What accounts must know of the keys in a workspace before it may be deleted. The keys feature provides it. */
export interface WorkspaceKeys {
  /**
   * How many keys a workspace holds, deleted ones not counted, at a point of the log that is not before the call.
   * @throws Unavailable when that cannot be said in time.
   */
  count(workspaceId: string): Promise<number>;
}

export const WORKSPACE_KEYS = Symbol('WorkspaceKeys');

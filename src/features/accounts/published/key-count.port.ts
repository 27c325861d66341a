/** The count of keys that decides whether a workspace may be deleted. The keys feature implements it. */
export interface KeyCount {
  /**
   * Counts the keys that a workspace of an account holds, without deleted keys. Sees every change before the call.
   * @throws Unavailable when the read model does not catch up in time; Unreadable when the account is parked.
   */
  count(accountId: string, workspaceId: string): Promise<number>;
}

export const KEY_COUNT = Symbol('KeyCount');

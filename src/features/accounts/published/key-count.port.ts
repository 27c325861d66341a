/** The count of keys by which a workspace may be deleted. The keys feature implements it. */
export interface KeyCount {
  /**
   * Counts the keys in a workspace of an account, without deleted ones. Sees every earlier change.
   * @throws Unavailable when the read model stays behind; Unreadable when the account is parked.
   */
  count(accountId: string, workspaceId: string): Promise<number>;
}

export const KEY_COUNT = Symbol('KeyCount');

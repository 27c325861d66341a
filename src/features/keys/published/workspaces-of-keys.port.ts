/** Says in which workspaces keys are, as far as known without a look into the streams of keys. */
export interface WorkspacesOfKeys {
  /**
   * Returns the workspaces of those hashes that are known to be API keys of the account, disabled
   * and expired keys included. The workspace of a key may have been deleted.
   * @param hashes different hashes, in lower case.
   * @throws Unavailable when what is known may be too old or cannot be read.
   */
  workspacesOf(accountId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** The keys that verification holds in memory. */
export const KEYS_IN_MEMORY = Symbol('KeysInMemory');
/** The keys in the key directory, which sees all writes answered before the question. */
export const KEYS_IN_DIRECTORY = Symbol('KeysInDirectory');

import type { Key } from '../domain/key.js';

/** The key that a hash in a usage report means. Any string of the key may name it. */
export type AttributedKey = Pick<Key, 'external_user' | 'hash' | 'workspace_id'>;

/** Says which keys hashes mean, as far as known without a look into the streams of keys. */
export interface KeysByString {
  /**
   * Returns the keys, with their workspaces, of those hashes that are known to be strings of API
   * keys of the account: ended strings, and disabled and expired keys included. The workspace of a
   * key may have been deleted.
   * @param hashes different hashes, in lower case.
   * @throws Unavailable when what is known may be too old or cannot be read.
   */
  keysOf(accountId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, AttributedKey>>;
}

/** The keys that verification holds in memory. */
export const KEYS_IN_MEMORY = Symbol('KeysInMemory');
/** The keys in the key directory, which sees all writes answered before the question. */
export const KEYS_IN_DIRECTORY = Symbol('KeysInDirectory');

import { hashKeyString, mintKeyString, type KeyPrefix } from '../../../src/kernel/key-string.js';

/** A key string as a caller makes it, with its hash. */
export interface MadeString {
  readonly key: string;
  readonly hash: string;
}

export function madeString(prefix: KeyPrefix = 'sk-v1-'): MadeString {
  const key = mintKeyString(prefix);
  return { key, hash: hashKeyString(key) };
}

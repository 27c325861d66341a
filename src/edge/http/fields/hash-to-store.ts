import { Refusal } from '../../../kernel/errors.js';
import { hashKeyString, isKeyHash, isTailOfKeyString } from '../../../kernel/key-string.js';
import type { Caller } from '../callers/caller.js';

const FORM =
  'must be the SHA-256 of a key string: 64 lower-case hex digits, and not those of a key string';

/**
 * Requires that a text of a path is the hash of a key string that a caller made (docs/api.md 3.10).
 * @param path the name of the parameter.
 * @param caller the key of the request: a first management key may have the form of a hash.
 * @throws Refusal, which does not repeat the text: it may be a key string, or the end of one.
 */
export function requireHashToStore(
  text: string,
  path: string,
  { keyHash }: Pick<Caller, 'keyHash'>,
): void {
  if (isKeyHash(text) && !isTailOfKeyString(text) && hashKeyString(text) !== keyHash) return;
  throw new Refusal('request-invalid', { issues: [{ path, message: FORM }] });
}

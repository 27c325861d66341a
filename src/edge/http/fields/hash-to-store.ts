import { Refusal } from '../../../kernel/errors.js';
import { isKeyHash, isTailOfKeyString } from '../../../kernel/key-string.js';

const FORM =
  'must be the SHA-256 of a key string: 64 lower-case hex digits, and not those of a key string';

/**
 * Requires that a text of a path is the hash of a key string that a caller made (docs/api.md 3.10).
 * @param path the name of the parameter.
 * @throws Refusal, which does not repeat the text: it may be a key string without its prefix.
 */
export function requireHashToStore(text: string, path: string): void {
  if (isKeyHash(text) && !isTailOfKeyString(text)) return;
  throw new Refusal('request-invalid', { issues: [{ path, message: FORM }] });
}

import { containsKeyString } from '../key-strings/key-string.js';
import { Refusal } from '../kernel/errors.js';

/**
 * Keeps key strings out of what is stored (docs/api.md 1.5).
 * @param body a JSON value whose depth is bounded.
 * @param ownKey the key string that the request is made with.
 * @throws Refusal when a name or a value anywhere in the body contains a key string. The refusal does not repeat it.
 */
export function refuseKeysIn(body: object, ownKey: string): void {
  const holdsKey = (text: string): boolean => text.includes(ownKey) || containsKeyString(text);
  const path = pathToKey(body, '', holdsKey);
  if (path === undefined) return;
  throw new Refusal('request-invalid', {
    issues: [{ path, message: 'must not contain a key string' }],
  });
}

/**
 * Gives the path of the first key string, or of the object around it when the name contains the key string. Items of
 * lists have the path of the list.
 */
function pathToKey(
  value: unknown,
  path: string,
  holdsKey: (text: string) => boolean,
): string | undefined {
  if (typeof value === 'string') return holdsKey(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const [name, member] of Object.entries(value)) {
    if (!isList && holdsKey(name)) return path;
    const below = isList ? path : path === '' ? name : `${path}.${name}`;
    const found = pathToKey(member, below, holdsKey);
    if (found !== undefined) return found;
  }
  return undefined;
}

import { containsKeyString } from '../key-strings/key-string.js';
import { Refusal } from '../kernel/errors.js';

/**
 * Refuses a body that contains a key string, because the service never stores key strings (docs/api.md 1.5).
 * @param body a JSON value whose depth is bounded.
 * @param ownKey the key string that the request is made with.
 * @param maySendKeys the fields whose values may be key strings.
 * @throws Refusal when a field's name or a value contains a key string. The refusal does not repeat the key string.
 */
export function refuseKeysIn(
  body: object,
  ownKey: string,
  maySendKeys: readonly string[] = [],
): void {
  const holdsKey = (text: string): boolean => text.includes(ownKey) || containsKeyString(text);
  const path = pathToKey(body, '', { holdsKey, maySendKeys });
  if (path === undefined) return;
  throw new Refusal('request-invalid', {
    issues: [{ path, message: 'must not contain a key string' }],
  });
}

interface Search {
  readonly holdsKey: (text: string) => boolean;
  readonly maySendKeys: readonly string[];
}

/**
 * Returns the path of the first string that contains a key string. For a field's name, returns the path of the object.
 * A string in a list has the path of the list. The path of an object in a list contains the object's index.
 */
function pathToKey(value: unknown, path: string, search: Search): string | undefined {
  const { holdsKey, maySendKeys } = search;
  if (typeof value === 'string') return holdsKey(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const [name, member] of Object.entries(value)) {
    if (!isList && holdsKey(name)) return path;
    const isText = typeof member === 'string';
    if (isText && maySendKeys.includes(name)) continue;
    const below = isList && isText ? path : path === '' ? name : `${path}.${name}`;
    const found = pathToKey(member, below, search);
    if (found !== undefined) return found;
  }
  return undefined;
}

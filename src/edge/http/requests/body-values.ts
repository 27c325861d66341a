import { containsValidKeyString } from '../../../kernel/key-string.js';
import { Refusal } from '../../../kernel/errors.js';

/** The maximum nesting of a body, itself included. Code behind this check may recurse. */
export const MAX_DEPTH = 32;
/** The maximum number of fields and items. Checking very many of them blocks other requests. */
export const MAX_VALUES = 10_000;

/** An object or a list of a body, with its path in an error. */
interface Parent {
  readonly value: Readonly<Record<string, unknown>>;
  readonly path: string;
}

/**
 * Walks over all values of a body, level by level, because it may be nested deeper than the stack.
 * @param ownKey the key string that the request is made with.
 * @param unstored the field of the body that may hold a key string, because it is not stored.
 * @throws Refusal when the body is too deep, has too many values, or has a key string in a name or
 * a value. The refusal names the path: that of the object for a name, that of the list for a text
 * in a list.
 */
export function checkValues(body: object, ownKey: string, unstored?: string): void {
  const holdsKey = (text: string): boolean => containsKey(text, ownKey);
  let values = 0;
  let keyAt: string | undefined;
  let level: Parent[] = [{ value: body as Parent['value'], path: '' }];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw tooComplex();
    const below: Parent[] = [];
    for (const { value: parent, path } of level) {
      const isList = Array.isArray(parent);
      for (const name of Object.keys(parent)) {
        const value = parent[name];
        values += 1;
        if (values > MAX_VALUES) throw tooComplex();
        if (!isList && holdsKey(name)) keyAt ??= path;
        if (typeof value === 'string') {
          if (!holdsKey(value)) continue;
          const at = pathOf(path, name);
          if (at !== unstored) keyAt ??= isList ? path : at;
        } else if (typeof value === 'object' && value !== null) {
          below.push({ value: value as Parent['value'], path: pathOf(path, name) });
        }
      }
    }
    level = below;
  }
  if (keyAt !== undefined) throw keyStringAt(keyAt);
}

function pathOf(parent: string, name: string): string {
  return parent === '' ? name : `${parent}.${name}`;
}

/**
 * Requires that a text of a path that a request stores has no key string in it.
 * @param ownKey the key string that the request is made with.
 * @param path the name of the parameter.
 * @throws Refusal, which does not repeat the text.
 */
export function requireNoKeyString(text: string, ownKey: string, path: string): void {
  if (containsKey(text, ownKey)) throw keyStringAt(path);
}

function containsKey(text: string, ownKey: string): boolean {
  return text.includes(ownKey) || containsValidKeyString(text);
}

function keyStringAt(path: string): Refusal {
  return new Refusal('request-invalid', {
    issues: [{ path, message: 'must not contain a key string' }],
  });
}

function tooComplex(): Refusal {
  return new Refusal('body-too-complex', { max_depth: MAX_DEPTH, max_values: MAX_VALUES });
}

/** The maximum nesting of a body, low enough for recursion. No documented body reaches this limit or VALUES_LIMIT. */
const DEPTH_LIMIT = 32;
/** The maximum number of values in a body. Even in a small body, checking very many values blocks other requests. */
const VALUES_LIMIT = 10_000;
const TOO_MANY = `must not have more than ${VALUES_LIMIT} values`;

const COMMA = ','.charCodeAt(0);
const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);

/**
 * Checks a body before it is parsed, because parsing very many values blocks all other requests.
 * @param body any valid UTF-8. The body need not be JSON.
 * @returns a message when the commas of the body prove too many values; otherwise undefined.
 */
export function excessBeforeParsing(body: Buffer): string | undefined {
  // A comma precedes each value except the first of an object or a list. Each value has at least one byte.
  if (body.length < 2 * VALUES_LIMIT) return undefined;
  let commas = 0;
  let isInText = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) isInText = !isInText;
    else if (isInText && byte === BACKSLASH) at += 1;
    else if (!isInText && byte === COMMA) commas += 1;
    if (commas >= VALUES_LIMIT) return TOO_MANY;
  }
  return undefined;
}

/** Returns a message with the limit that a body exceeds; undefined within both limits. Stops at the first limit. */
export function excessOf(body: object): string | undefined {
  let values = 0;
  let level: object[] = [body];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === DEPTH_LIMIT) return `must not be nested deeper than ${DEPTH_LIMIT} levels`;
    const below: object[] = [];
    for (const parent of level) {
      const children: readonly unknown[] = Array.isArray(parent) ? parent : Object.values(parent);
      values += children.length;
      if (values > VALUES_LIMIT) return TOO_MANY;
      for (const child of children) {
        if (typeof child === 'object' && child !== null) below.push(child);
      }
    }
    level = below;
  }
  return undefined;
}

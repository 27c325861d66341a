/** Recursive code needs a low depth. Both limits are above every documented body. */
const DEPTH_LIMIT = 32;
/** A body of few bytes can have so many values that all other requests wait until they are looked through. */
const VALUES_LIMIT = 10_000;
const TOO_MANY = `must not have more than ${VALUES_LIMIT} values`;

const COMMA = ','.charCodeAt(0);
const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);

/**
 * Looks at a body before it is parsed, because to parse very many values holds up all other requests.
 * @param body JSON, or anything else in UTF-8.
 * @returns the limit that the commas of a body prove exceeded, in words; undefined for every other body.
 */
export function excessBeforeParsing(body: Buffer): string | undefined {
  // Each value but the first of an object or a list has a comma before it, and takes a byte at least.
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

/** @returns the limit that a body exceeds, in words; undefined for a body within both. It looks at no more values than that. */
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

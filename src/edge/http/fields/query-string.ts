import { parse } from 'node:querystring';

/** The substitute for the value of a parameter that is not valid percent-encoded UTF-8. */
export const UNDECODABLE = Symbol('undecodable');

/** The message of an issue about an undecodable value. */
export const NOT_DECODABLE = 'is not valid percent-encoded UTF-8';

type Value = string | typeof UNDECODABLE;

/**
 * Parses a query string in form encoding. A repeated parameter becomes an array. A value that does not decode becomes
 * `UNDECODABLE`, because Node's parser would guess the value. A name that does not decode matches no parameter.
 * @param text the part of a URL after the question mark; null for a URL without a question mark.
 */
export function parseQueryString(text: string | null): Record<string, Value | Value[]> {
  const decodeURIComponent = (encoded: string): Value => decoded(encoded) ?? UNDECODABLE;
  // Node's parser accepts any value from the decoder. The types of the parser allow strings only.
  const options = {
    maxKeys: 0,
    decodeURIComponent: decodeURIComponent as (text: string) => string,
  };
  return parse(text ?? '', '&', '=', options) as Record<string, Value | Value[]>;
}

/** Decodes a percent-encoded string. @returns undefined when the string is not valid percent-encoded UTF-8. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

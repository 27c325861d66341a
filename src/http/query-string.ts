import { parse } from 'node:querystring';

/** Stands for a value that is not valid percent-encoded UTF-8. */
export const UNDECODABLE = Symbol('undecodable');

/** The message of an issue with such a value. */
export const NOT_DECODABLE = 'is not valid percent-encoded UTF-8';

type Value = string | typeof UNDECODABLE;

/**
 * Reads a query string in form encoding; a parameter given more than once becomes an array. Unlike the built-in parser
 * it does not guess at a value that does not decode. A name that does not decode is the name of no parameter.
 * @param text the part after the question mark; null when there is none.
 */
export function parseQueryString(text: string | null): Record<string, Value | Value[]> {
  const decodeURIComponent = (encoded: string): Value => decoded(encoded) ?? UNDECODABLE;
  // The types do not know that whatever the decoder returns becomes the value.
  const options = {
    maxKeys: 0,
    decodeURIComponent: decodeURIComponent as (text: string) => string,
  };
  return parse(text ?? '', '&', '=', options) as Record<string, Value | Value[]>;
}

/** A text without its percent-encoding; undefined when that is not valid UTF-8. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

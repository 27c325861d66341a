import { parse } from 'node:querystring';

/** The value of a text that does not decode. It is not well-formed, so every field refuses it. */
export const UNDECODABLE = '\ud800';

/**
 * Parses a query string in form encoding. A repeated parameter becomes an array. A name or value
 * that does not decode becomes `UNDECODABLE`, because Node's parser would guess it.
 * @param text the part of a URL after the question mark; null for a URL without a question mark.
 */
export function parseQueryString(text: string | null): Record<string, string | string[]> {
  const decodeURIComponent = (encoded: string): string => decoded(encoded) ?? UNDECODABLE;
  return parse(text ?? '', '&', '=', { maxKeys: 0, decodeURIComponent }) as Record<
    string,
    string | string[]
  >;
}

/** Decodes a percent-encoded string. @returns undefined when it is not valid UTF-8. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

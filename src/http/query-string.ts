/** What stands for a value that is not valid percent-encoded UTF-8. */
export const UNDECODABLE = Symbol('undecodable');

/** What an issue says of it. */
export const NOT_DECODABLE = 'is not valid percent-encoded UTF-8';

type Value = string | typeof UNDECODABLE;

/**
 * Reads a query string as form encoding has it; a parameter given more than once becomes an array.
 * Unlike the built-in parser it does not guess at what does not decode: such a value is told apart, and a name is
 * left as it was sent, which no parameter is called.
 * @param text what follows the question mark; null when there is none.
 */
export function parseQueryString(text: string | null): Record<string, Value | Value[]> {
  const parameters: Record<string, Value | Value[]> = Object.create(null) as Record<string, never>;
  for (const pair of (text ?? '').split('&')) {
    if (pair === '') continue;
    const separator = pair.indexOf('=');
    const rawName = separator < 0 ? pair : pair.slice(0, separator);
    const name = decoded(rawName) ?? rawName;
    const value = decoded(separator < 0 ? '' : pair.slice(separator + 1)) ?? UNDECODABLE;
    const before = parameters[name];
    if (before === undefined) parameters[name] = value;
    else if (Array.isArray(before)) before.push(value);
    else parameters[name] = [before, value];
  }
  return parameters;
}

/** A text without its percent-encoding; undefined when that is not valid UTF-8. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

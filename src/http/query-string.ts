import { Refusal } from '../kernel/errors.js';

/**
 * Reads a query string as form encoding has it; a parameter given more than once becomes an array.
 * Unlike the built-in parser it refuses what does not decode, instead of guessing.
 * @param text what follows the question mark; null when there is none.
 * @throws Refusal naming the parameter.
 */
export function parseQueryString(text: string | null): Record<string, string | string[]> {
  const parameters: Record<string, string | string[]> = Object.create(null) as Record<
    string,
    never
  >;
  for (const pair of (text ?? '').split('&')) {
    if (pair === '') continue;
    const separator = pair.indexOf('=');
    const rawName = separator < 0 ? pair : pair.slice(0, separator);
    const name = decode(rawName, rawName);
    const value = decode(separator < 0 ? '' : pair.slice(separator + 1), name);
    const before = parameters[name];
    if (before === undefined) parameters[name] = value;
    else if (typeof before === 'string') parameters[name] = [before, value];
    else before.push(value);
  }
  return parameters;
}

function decode(text: string, name: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Refusal('request-invalid', {
      issues: [{ path: name, message: 'is not valid percent-encoded UTF-8' }],
    });
  }
}

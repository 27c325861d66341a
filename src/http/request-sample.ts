import { hash as digest } from 'node:crypto';

/** How many values the first 8 hexadecimal digits of a hash have. */
const VALUES = 2 ** 32;

/**
 * Whether the log has a line for a successful request (docs/api.md 8.4). The result for an id is the same on every
 * replica and after every restart, so the sample has all requests of an id or none.
 * @param oneIn the number of requests of which one is chosen: 1 for all, Infinity for none.
 */
export function isInSample(id: string, oneIn: number): boolean {
  if (oneIn === 1 || oneIn === Infinity) return oneIn === 1;
  return Number.parseInt(digest('sha256', id, 'hex').slice(0, 8), 16) / VALUES < 1 / oneIn;
}

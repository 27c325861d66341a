import { hash as digest } from 'node:crypto';

/** The number of possible values of the first 8 hexadecimal digits of a hash. */
const VALUES = 2 ** 32;

/**
 * Whether the log has a line for a successful request (docs/api.md 8.4). The result for an id is the same on every
 * replica and after every restart, so the sample has all requests with the same id or none of them.
 * @param oneIn the number of requests per chosen request: 1 chooses all requests, Infinity chooses none.
 */
export function isInSample(id: string, oneIn: number): boolean {
  if (oneIn === 1 || oneIn === Infinity) return oneIn === 1;
  return Number.parseInt(digest('sha256', id, 'hex').slice(0, 8), 16) / VALUES < 1 / oneIn;
}

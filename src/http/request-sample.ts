import { hash as digest } from 'node:crypto';

/** How many values the first 8 hexadecimal digits of a hash have. */
const VALUES = 2 ** 32;

/**
 * Whether the log has a line for a request that went well (docs/api.md 8.4). The same id gets the same answer on every
 * replica and after every restart, so lines of one id belong together.
 * @param oneIn of so many requests one is chosen: 1 for all, Infinity for none.
 */
export function isInSample(id: string, oneIn: number): boolean {
  if (oneIn === 1 || oneIn === Infinity) return oneIn === 1;
  return Number.parseInt(digest('sha256', id, 'hex').slice(0, 8), 16) / VALUES < 1 / oneIn;
}

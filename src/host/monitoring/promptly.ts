import { inTime } from '../../kernel/in-time.js';

const PATIENCE_MS = 1_000;

/** Returns the value of a promise. @throws Error after 1 s, because a probe or a scrape must not wait longer. */
export function promptly<Result>(promise: Promise<Result>): Promise<Result> {
  return inTime(promise, PATIENCE_MS);
}

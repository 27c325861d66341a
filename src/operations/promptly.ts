import { inTime } from '../kernel/in-time.js';

const PATIENCE_MS = 1_000;

/** What a promise resolves with. @throws when it takes longer than an operator's question may. */
export function promptly<Result>(promise: Promise<Result>): Promise<Result> {
  return inTime(promise, PATIENCE_MS);
}

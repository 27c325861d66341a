import { setTimeout as delay } from 'node:timers/promises';
import { Backoff } from '../../../kernel/backoff.js';

const FIRST_MS = 25;

/** Returns the pauses between attempts to reach a server that does not answer. */
export function pauses(longestMs: number): Backoff {
  return new Backoff(FIRST_MS, longestMs);
}

/** Resolves after the next pause, with some jitter, or at once when `signal` aborts. */
export async function pause(backoff: Backoff, signal: AbortSignal): Promise<void> {
  const ms = backoff.next() * (0.5 + Math.random() / 2);
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

import { setTimeout as delay } from 'node:timers/promises';
import type { ReadModel } from '../read-store/read-store.js';
import { LOOK_FOR_SUCCESSOR_EVERY_MS } from './kept-turn.js';

/**
 * Waits before the next attempt, or until another generation comes to serve, as that may be what helps.
 * @param signal of whoever waits, who stops when it aborts.
 */
export async function pause(model: ReadModel, ms: number, signal: AbortSignal): Promise<void> {
  const end = performance.now() + ms;
  // Not known, and so not, while the read store fails.
  const isSuperseded = (): Promise<boolean> => model.isSuperseded().catch(() => false);
  // One that could not be gone over to is tried again no sooner than all else.
  const hadSuccessor = await isSuperseded();
  while (!signal.aborted) {
    const left = Math.min(end - performance.now(), LOOK_FOR_SUCCESSOR_EVERY_MS);
    if (left <= 0) return;
    await delay(left, undefined, { signal }).catch(() => undefined);
    if (!hadSuccessor && (await isSuperseded())) return;
  }
}

import { setTimeout as delay } from 'node:timers/promises';

/** Waits for some time, or less if the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

import { setTimeout as delay } from 'node:timers/promises';

const FIRST_MS = 25;

/** Ever longer pauses between attempts, a little different for each who tries. */
export class Backoff {
  #next = FIRST_MS;

  constructor(private readonly longestMs: number) {}

  reset(): void {
    this.#next = FIRST_MS;
  }

  /** Resolves after the pause, or at once when `signal` aborts. */
  async pause(signal: AbortSignal): Promise<void> {
    const pause = this.#next * (0.5 + Math.random() / 2);
    this.#next = Math.min(this.#next * 2, this.longestMs);
    await delay(pause, undefined, { signal }).catch(() => undefined);
  }
}

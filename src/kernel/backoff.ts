/** Ever longer pauses between attempts: each twice as long as the one before, up to the longest. */
export class Backoff {
  #nextMs: number;

  /** @param firstMs and longestMs in milliseconds. */
  constructor(
    private readonly firstMs: number,
    private readonly longestMs: number,
  ) {
    this.#nextMs = firstMs;
  }

  /** Begins with the first again, as an attempt went well. */
  reset(): void {
    this.#nextMs = this.firstMs;
  }

  /** @returns how long to pause now. */
  next(): number {
    const now = this.#nextMs;
    this.#nextMs = Math.min(now * 2, this.longestMs);
    return now;
  }
}

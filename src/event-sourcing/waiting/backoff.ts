/** The pauses between attempts, each twice as long as the one before, up to a maximum. */
export class Backoff {
  #nextMs: number;

  constructor(
    private readonly firstMs: number,
    private readonly longestMs: number,
  ) {
    this.#nextMs = firstMs;
  }

  /** Resets the next pause to the first pause. Callers call it after an attempt that succeeded. */
  reset(): void {
    this.#nextMs = this.firstMs;
  }

  next(): number {
    const now = this.#nextMs;
    this.#nextMs = Math.min(now * 2, this.longestMs);
    return now;
  }
}

/** Gives the pauses between attempts. Each is twice as long as the one before, up to a maximum. */
export class Backoff {
  #nextMs: number;

  constructor(
    private readonly firstMs: number,
    private readonly longestMs: number,
  ) {
    this.#nextMs = firstMs;
  }

  /** Begins with the first pause again, after an attempt that succeeded. */
  reset(): void {
    this.#nextMs = this.firstMs;
  }

  /** @returns the next pause in milliseconds. */
  next(): number {
    const now = this.#nextMs;
    this.#nextMs = Math.min(now * 2, this.longestMs);
    return now;
  }
}

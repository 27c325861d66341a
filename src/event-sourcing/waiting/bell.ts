/** The longest time that a timer can have. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Wakes those who wait for something to happen. */
export class Bell {
  readonly #sleepers = new Set<() => void>();

  /** Wakes all who wait now. */
  ring(): void {
    for (const wake of [...this.#sleepers]) wake();
  }

  /** Resolves at the next `ring`, when `signal` aborts, or after `withinMs`. Default: no bound. */
  rung(signal?: AbortSignal, withinMs = Infinity): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        this.#sleepers.delete(wake);
        resolve();
      };
      const isBounded = withinMs < Infinity;
      const timer = isBounded ? setTimeout(wake, Math.min(withinMs, LONGEST_TIMER_MS)) : undefined;
      signal?.addEventListener('abort', wake, { once: true });
      this.#sleepers.add(wake);
      if (signal?.aborted === true) wake();
    });
  }
}

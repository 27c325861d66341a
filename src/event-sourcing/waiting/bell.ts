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
      const timer = withinMs < Infinity ? setTimeout(wake, withinMs) : undefined;
      signal?.addEventListener('abort', wake, { once: true });
      this.#sleepers.add(wake);
      if (signal?.aborted === true) wake();
    });
  }
}

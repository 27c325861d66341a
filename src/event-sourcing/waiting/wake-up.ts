/** Lets callers wait until something happens. */
export class WakeUp {
  readonly #sleepers = new Set<() => void>();

  /** Ends every `wait` that is under way. */
  wakeAll(): void {
    for (const wake of [...this.#sleepers]) wake();
  }

  /** Resolves at the next `wakeAll`, when `signal` aborts, or after `withinMs` if it is given. */
  wait(signal?: AbortSignal, withinMs = Infinity): Promise<void> {
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

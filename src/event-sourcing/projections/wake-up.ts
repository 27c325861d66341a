/** Lets one task sleep until another wakes it. A call of `wake` while no task sleeps ends the next sleep at once. */
export class WakeUp {
  #wake = (): void => undefined;
  #isDue = false;

  /** Sleeps for `ms` milliseconds, or less if another task calls `wake` or the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#isDue || signal.aborted || ms <= 0) {
      this.#isDue = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#wake = () => undefined;
        this.#isDue = false;
        resolve();
      };
      const timer = setTimeout(end, Math.min(ms, LONGEST_TIMER_MS));
      signal.addEventListener('abort', end, { once: true });
      this.#wake = end;
    });
  }

  wake(): void {
    this.#isDue = true;
    this.#wake();
  }
}

/** The longest time that a timer can have. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

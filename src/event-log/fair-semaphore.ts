/**
 * Lets a number of tasks run at once. Keys of waiting tasks take turns, and the tasks of one key keep their order. So a key
 * with many tasks does not hold up others.
 */
export class FairSemaphore {
  /** By key, in the order in which the keys have their turn. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(private free: number) {}

  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free -= 1;
    else await this.#given(key);
    try {
      return await task();
    } finally {
      this.#give();
    }
  }

  #given(key: string): Promise<void> {
    return new Promise((resolve) => {
      const line = this.#waiting.get(key);
      if (line) line.push(resolve);
      else this.#waiting.set(key, [resolve]);
    });
  }

  #give(): void {
    for (const [key, line] of this.#waiting) {
      this.#waiting.delete(key);
      const begin = line.shift();
      if (line.length > 0) this.#waiting.set(key, line);
      begin?.();
      return;
    }
    this.free += 1;
  }
}

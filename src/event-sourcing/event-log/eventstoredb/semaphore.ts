import { TimedOut } from './faults.js';

/**
 * Lets a limited number of tasks run at once; the others wait in line. A connection carries 100 calls, and further
 * calls would wait for the connection without an end and without an error.
 */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** @throws TimedOut when the task cannot begin within `withinMs`. */
  async run<Result>(withinMs: number, task: () => Promise<Result>): Promise<Result> {
    await this.#take(withinMs);
    try {
      return await task();
    } finally {
      this.#give();
    }
  }

  #take(withinMs: number): Promise<void> {
    if (this.free > 0) {
      this.free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(new TimedOut(withinMs));
      }, withinMs);
      this.#waiting.push(enter);
    });
  }

  #give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.free += 1;
  }
}

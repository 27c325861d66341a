import { FairQueue } from '../kernel/fair-queue.js';

/**
 * Lets a number of tasks run at once. Keys of waiting tasks take turns, and the tasks of one key keep their order. So a key
 * with many tasks does not hold up others.
 */
export class FairSemaphore {
  readonly #waiting = new FairQueue<() => void>();

  constructor(private free: number) {}

  /** How many tasks wait for their turn. */
  get waiting(): number {
    return this.#waiting.length;
  }

  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((begin) => this.#waiting.push(key, begin));
    try {
      return await task();
    } finally {
      this.#give();
    }
  }

  #give(): void {
    const begin = this.#waiting.take();
    if (begin) begin();
    else this.free += 1;
  }
}

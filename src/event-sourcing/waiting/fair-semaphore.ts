import { FairQueue } from './fair-queue.js';

/**
 * Limits how many tasks run at once. The keys of waiting tasks take turns, so that a key with many tasks does not hold
 * up other keys. The tasks of one key keep their order.
 */
export class FairSemaphore {
  readonly #waiting = new FairQueue<() => void>();

  constructor(private free: number) {}

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

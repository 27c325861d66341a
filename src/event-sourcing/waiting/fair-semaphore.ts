import { FairQueue } from './fair-queue.js';

interface Waiter {
  readonly begin: () => void;
  hasLeft: boolean;
}

export interface Patience {
  readonly withinMs: number;
  readonly late: () => Error;
}

/**
 * Limits how many tasks run at once. The keys of waiting tasks take turns, so that a key with many
 * tasks does not hold up other keys. The tasks of one key keep their order.
 */
export class FairSemaphore {
  readonly #waiting = new FairQueue<Waiter>();

  constructor(private free: number) {}

  /** @throws the error of the task, or of `patience` when its turn does not come in time. */
  async run<Result>(
    key: string,
    task: () => Promise<Result>,
    patience?: Patience,
  ): Promise<Result> {
    if (this.free > 0 && !this.#waiting.isHeld(key)) this.free -= 1;
    else await this.#turn(key, patience);
    try {
      return await task();
    } finally {
      this.free += 1;
      this.#beginNext();
    }
  }

  /** Begins no task of a key for `ms` milliseconds, so that all other keys get its time. */
  rest(key: string, ms: number): void {
    this.#waiting.hold(key);
    setTimeout(() => {
      this.#waiting.release(key);
      this.#beginNext();
    }, ms);
  }

  #turn(key: string, patience: Patience | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = ({ late }: Patience): void => {
        waiter.hasLeft = true;
        reject(late());
      };
      const timer = patience && setTimeout(leave, patience.withinMs, patience);
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const waiter: Waiter = { begin, hasLeft: false };
      this.#waiting.push(key, waiter);
    });
  }

  #beginNext(): void {
    while (this.free > 0) {
      const next = this.#waiting.take();
      if (!next) return;
      if (next.hasLeft) continue;
      this.free -= 1;
      next.begin();
    }
  }
}

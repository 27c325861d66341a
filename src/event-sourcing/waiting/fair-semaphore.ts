import { Refusal } from '../../kernel/errors.js';
import { FairQueue } from './fair-queue.js';
import { type Presence, PRESENT } from './presence.js';

interface Waiter {
  readonly begin: () => void;
  readonly leave: () => void;
  readonly hasLeft: () => boolean;
}

export interface Patience {
  readonly withinMs: number;
  readonly late: () => Error;
}

interface Waiting {
  readonly patience?: Patience;
  /** Whether the caller still waits. The turn of one who has left passes to the next. */
  readonly presence?: Presence | undefined;
}

/**
 * Limits how many tasks run at once. The keys of waiting tasks take turns, so that a key with many
 * tasks does not hold up other keys. The tasks of one key keep their order.
 */
export class FairSemaphore {
  readonly #waiting = new FairQueue<Waiter>();

  constructor(private free: number) {}

  /**
   * @throws the error of the task; that of `patience` when its turn does not come in time; a
   * Refusal when the caller has left before its turn.
   */
  async run<Result>(
    key: string,
    task: () => Promise<Result>,
    waiting: Waiting = {},
  ): Promise<Result> {
    if (this.free > 0 && !this.#waiting.isHeld(key)) this.free -= 1;
    else await this.#turn(key, waiting);
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

  #turn(key: string, { patience, presence = PRESENT }: Waiting): Promise<void> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const giveUp = ({ late }: Patience): void => {
        isLate = true;
        reject(late());
      };
      const timer = patience && setTimeout(giveUp, patience.withinMs, patience);
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const leave = (): void => {
        clearTimeout(timer);
        reject(new Refusal('too-many-writers'));
      };
      this.#waiting.push(key, { begin, leave, hasLeft: () => isLate || presence.hasLeft });
    });
  }

  #beginNext(): void {
    while (this.free > 0) {
      const next = this.#waiting.take();
      if (!next) return;
      if (next.hasLeft()) {
        next.leave();
        continue;
      }
      this.free -= 1;
      next.begin();
    }
  }
}

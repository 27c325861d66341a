import { type Position, START } from '../kernel/position.js';

interface Waiter {
  readonly position: Position;
  wake(reached: boolean): void;
}

/** How far a projection is, and a way to wait until it is farther. */
export class Progress {
  #position: Position = START;
  readonly #waiters = new Set<Waiter>();

  /** @param onWaiting is told of each position that somebody begins to wait for, and for how long at most. */
  constructor(
    private readonly onWaiting: (position: Position, timeoutMs: number) => void = () => undefined,
  ) {}

  get position(): Position {
    return this.#position;
  }

  /** Wakes those who waited for no more. It may go back, where a read model lost what it had; they go on waiting then. */
  moveTo(position: Position): void {
    this.#position = position;
    for (const waiter of this.#waiters) {
      if (waiter.position <= position) waiter.wake(true);
    }
  }

  /** Whether `position` was passed within `timeoutMs`. */
  waitFor(position: Position, timeoutMs: number): Promise<boolean> {
    if (position <= this.#position) return Promise.resolve(true);
    if (timeoutMs <= 0) return Promise.resolve(false);
    return new Promise((resolve) => {
      const wake = (reached: boolean): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        resolve(reached);
      };
      const timer = setTimeout(() => wake(false), timeoutMs);
      const waiter: Waiter = { position, wake };
      this.#waiters.add(waiter);
      this.onWaiting(position, timeoutMs);
    });
  }
}

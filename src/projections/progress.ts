import { type Position, START } from '../kernel/position.js';

interface Waiter {
  readonly position: Position;
  wake(reached: boolean): void;
}

/** How far a projection is, and a way to wait until it is farther. */
export class Progress {
  #position: Position = START;
  readonly #waiters = new Set<Waiter>();
  #onAwaited = (): void => undefined;
  #onMove = (): void => undefined;

  /** @param onWaiting told of each position that somebody begins to wait for, and for how long at most. */
  constructor(
    private readonly onWaiting: (position: Position, timeoutMs: number) => void = () => undefined,
  ) {}

  /** Tells one observer of every move from here on. */
  observe(onMove: () => void): void {
    this.#onMove = onMove;
  }

  get position(): Position {
    return this.#position;
  }

  /** Wakes who waited for no more. It may go back, where a read model lost what it had: who waits then goes on waiting. */
  moveTo(position: Position): void {
    this.#position = position;
    for (const waiter of this.#waiters) {
      if (waiter.position <= position) waiter.wake(true);
    }
    this.#onMove();
  }

  /** Whether `position` was passed within `timeoutMs`. */
  waitFor(position: Position, timeoutMs: number): Promise<boolean> {
    if (position <= this.#position) return Promise.resolve(true);
    return new Promise((resolve) => {
      const wake = (reached: boolean): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        resolve(reached);
      };
      const timer = setTimeout(() => wake(false), timeoutMs);
      const waiter: Waiter = { position, wake };
      this.#waiters.add(waiter);
      this.#onAwaited();
      this.onWaiting(position, timeoutMs);
    });
  }

  /** Resolves when somebody waits for it to go on, at once when somebody does, and after `timeoutMs` anyway. */
  awaited(timeoutMs: number): Promise<void> {
    if (this.#waiters.size > 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#onAwaited = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

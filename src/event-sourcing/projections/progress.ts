import { type Position, START } from '../../kernel/position.js';

interface Waiter {
  readonly position: Position;
  wake(reached: boolean): void;
}

/** The position of a projection, with a way to wait for a later position. */
export class Progress {
  #position: Position = START;
  readonly #waiters = new Set<Waiter>();
  #observer: (position: Position) => void = () => undefined;

  /** @param onWaiting gets a position for which a reader begins to wait, and for how many ms. */
  constructor(private readonly onWaiting: (position: Position, timeoutMs: number) => void) {}

  get position(): Position {
    return this.#position;
  }

  observe(observer: (position: Position) => void): void {
    this.#observer = observer;
  }

  /** Sets the position, which a lost read model moves back. Wakes the readers that it reaches. */
  moveTo(position: Position): void {
    this.#position = position;
    for (const waiter of this.#waiters) {
      if (waiter.position <= position) waiter.wake(true);
    }
    this.#observer(position);
  }

  /** Waits for `position`. @returns whether the projection reached it within `timeoutMs`. */
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

import { type Position, START } from '../../kernel/position.js';
import { WakeUp } from './wake-up.js';

/** The furthest position that readers wait for, and the time until which they wait. */
export class AwaitedPosition {
  readonly #wakeUp = new WakeUp();
  #position: Position = START;
  #until = 0;

  /** Notes that a reader waits for a position, for `timeoutMs` at most. */
  await(position: Position, timeoutMs: number): void {
    if (position > this.#position) this.#position = position;
    this.#until = Math.max(this.#until, performance.now() + timeoutMs);
    this.#wakeUp.wake();
  }

  /** Whether a reader still waits for a position later than `reached`. */
  isBeyond(reached: Position): boolean {
    return this.#position > reached && performance.now() < this.#until;
  }

  /** Sleeps for `ms` milliseconds, or less if a reader begins to wait or the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.#wakeUp.sleep(ms, signal);
  }
}

import { type Position, START } from '../kernel/position.js';
import { WakeUp } from './wake-up.js';

/** The furthest position that readers wait for, and until when they do. */
export class AwaitedPosition {
  readonly #wakeUp = new WakeUp();
  #position: Position = START;
  #until = 0;

  /** Somebody waits for a position. */
  await(position: Position, timeoutMs: number): void {
    if (position > this.#position) this.#position = position;
    this.#until = Math.max(this.#until, performance.now() + timeoutMs);
    this.#wakeUp.wake();
  }

  /** Whether somebody waits for more than was reached. */
  isBeyond(reached: Position): boolean {
    return this.#position > reached && performance.now() < this.#until;
  }

  /** Resolves when somebody begins to wait, and after a while. */
  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.#wakeUp.sleep(ms, signal);
  }
}

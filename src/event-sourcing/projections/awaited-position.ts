import { WakeUp } from '../waiting/wake-up.js';
import { type Position, START } from '../../kernel/position.js';

/** The furthest position that readers wait for, until when they wait, and a sleep that they end. */
export class AwaitedPosition {
  #position: Position = START;
  #until = 0;
  readonly #wakeUp = new WakeUp();
  /** Whether a reader began to wait while nobody slept, so that the next sleep ends at once. */
  #isDue = false;

  /** Notes that a reader waits for a position, for `timeoutMs` at most. */
  note(position: Position, timeoutMs: number): void {
    if (position > this.#position) this.#position = position;
    this.#until = Math.max(this.#until, performance.now() + timeoutMs);
    this.#isDue = true;
    this.#wakeUp.wakeAll();
  }

  /** Whether a reader still waits for a position later than `reached`. */
  isBeyond(reached: Position): boolean {
    return this.#position > reached && performance.now() < this.#until;
  }

  /** Sleeps for `ms` milliseconds, or less if a reader begins to wait or the signal aborts. */
  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isDue && ms > 0) await this.#wakeUp.wait(signal, ms);
    this.#isDue = false;
  }
}

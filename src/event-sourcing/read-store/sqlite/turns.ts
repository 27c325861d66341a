import { setImmediate as nextTurn } from 'node:timers/promises';
import { WakeUp } from '../../waiting/wake-up.js';
import { FairSemaphore } from '../../waiting/fair-semaphore.js';

/** How long tasks may run one after another before other work gets a turn of the event loop. */
const SLICE_MS = 5;

/** Runs tasks one at a time. Owners take turns, and the tasks of one owner keep their order. */
export class Turns {
  readonly #one = new FairSemaphore(1);
  readonly #quiet = new WakeUp();
  #unfinished = 0;
  #sliceBegan = 0;

  run<Result>(owner: string, task: () => Result | Promise<Result>): Promise<Result> {
    if (this.#unfinished === 0) this.#sliceBegan = performance.now();
    this.#unfinished += 1;
    return new Promise((resolve, reject) => {
      const turn = this.#one.run(owner, async () => {
        // The caller who gets the result may ask for another turn before the next one begins.
        await Promise.resolve().then(task).then(resolve, reject);
        await this.#endSlice();
      });
      void turn.then(() => {
        this.#unfinished -= 1;
        if (this.#unfinished === 0) this.#quiet.wakeAll();
      });
    });
  }

  /** Gives an owner no turn for `ms` milliseconds, so that all other owners get its time. */
  rest(owner: string, ms: number): void {
    this.#one.rest(owner, ms);
  }

  /** Runs a task at once when no other task runs or waits. */
  async runLast(task: () => void): Promise<void> {
    while (this.#unfinished > 0) await this.#quiet.wait();
    task();
  }

  /** Keeps the turn until other work had one, also if nobody waits: more may come meanwhile. */
  async #endSlice(): Promise<void> {
    if (performance.now() - this.#sliceBegan < SLICE_MS) return;
    await nextTurn();
    this.#sliceBegan = performance.now();
  }
}

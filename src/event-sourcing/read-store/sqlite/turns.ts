import { setImmediate as nextTurn } from 'node:timers/promises';
import { WakeUp } from '../../waiting/wake-up.js';

/** How long tasks may run one after another before other work gets a turn of the event loop. */
const SLICE_MS = 5;

/** The waiting tasks of an owner, and the time that earlier ones took. */
interface Line {
  readonly tasks: (() => Promise<void>)[];
  /** How long the tasks of the owner took, in milliseconds. */
  took: number;
  isResting: boolean;
}

/**
 * Runs tasks one at a time: next is always the owner whose tasks took the least time. So a short
 * task does not wait for many long ones of another owner, nor for one in each of its turns. The
 * tasks of one owner keep their order.
 */
export class Turns {
  readonly #lines = new Map<string, Line>();
  readonly #quiet = new WakeUp();
  #isRunning = false;
  #sliceBegan = 0;

  run<Result>(owner: string, task: () => Result | Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      // The caller who gets the result may ask for another task before the next one begins.
      this.#lineOf(owner).tasks.push(() => Promise.resolve().then(task).then(resolve, reject));
      if (!this.#isRunning) void this.#runAll();
    });
  }

  /** Runs no task of an owner for `ms` milliseconds, so that all other owners get its time. */
  rest(owner: string, ms: number): void {
    const line = this.#lineOf(owner);
    line.isResting = true;
    setTimeout(() => {
      line.isResting = false;
      if (!this.#isRunning) void this.#runAll();
    }, ms);
  }

  /** Runs a task at once when no other task runs or waits. */
  async runLast(task: () => void): Promise<void> {
    while (!this.#isQuiet()) await this.#quiet.wait();
    task();
  }

  #isQuiet(): boolean {
    return !this.#isRunning && [...this.#lines.values()].every(({ tasks }) => tasks.length === 0);
  }

  /** An owner who comes has taken as long as the owner who is next, not less. */
  #lineOf(owner: string): Line {
    const known = this.#lines.get(owner);
    if (known) return known;
    const line: Line = { tasks: [], took: this.#next()?.took ?? 0, isResting: false };
    this.#lines.set(owner, line);
    return line;
  }

  /** Returns the line of the owner who is next, and forgets owners whose tasks are all done. */
  #next(): Line | undefined {
    let next: Line | undefined;
    for (const [owner, line] of this.#lines) {
      if (line.isResting) continue;
      if (line.tasks.length === 0) this.#lines.delete(owner);
      else if (!next || line.took < next.took) next = line;
    }
    return next;
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    this.#sliceBegan = performance.now();
    for (let line = this.#next(); line; line = this.#next()) {
      const began = performance.now();
      await line.tasks.shift()?.();
      line.took += performance.now() - began;
      await this.#endSlice();
    }
    this.#isRunning = false;
    if (this.#isQuiet()) this.#quiet.wakeAll();
  }

  /** Keeps the turn until other work had one, also if nobody waits: more may come meanwhile. */
  async #endSlice(): Promise<void> {
    if (performance.now() - this.#sliceBegan < SLICE_MS) return;
    await nextTurn();
    this.#sliceBegan = performance.now();
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairQueue } from '../../waiting/fair-queue.js';

/** How long tasks may run one after another before other work gets a turn of the event loop. */
const SLICE_MS = 5;

/** Runs tasks one at a time. Owners take turns, and the tasks of one owner keep their order. */
export class Turns {
  readonly #waiting = new FairQueue<() => Promise<void>>();
  readonly #last: (() => Promise<void>)[] = [];
  #runs = false;

  run<Result>(owner: string, task: () => Result | Promise<Result>): Promise<Result> {
    return this.#queued(task, (run) => this.#waiting.push(owner, run));
  }

  /** Gives an owner no turn for `ms` milliseconds, so that all other owners get its time. */
  rest(owner: string, ms: number): void {
    this.#waiting.hold(owner);
    setTimeout(() => {
      this.#waiting.release(owner);
      if (!this.#runs) void this.#runAll();
    }, ms);
  }

  /** Runs a task when no other task waits. */
  runLast<Result>(task: () => Result | Promise<Result>): Promise<Result> {
    return this.#queued(task, (run) => this.#last.push(run));
  }

  #queued<Result>(
    task: () => Result | Promise<Result>,
    push: (run: () => Promise<void>) => void,
  ): Promise<Result> {
    let begin = (): void => undefined;
    const turn = new Promise<void>((resolve) => (begin = resolve));
    const result = turn.then(task);
    push(async () => {
      begin();
      await result.catch(() => undefined);
    });
    if (!this.#runs) void this.#runAll();
    return result;
  }

  async #runAll(): Promise<void> {
    this.#runs = true;
    let began = performance.now();
    for (let next = this.#next(); next; next = this.#next()) {
      await next();
      if (performance.now() - began < SLICE_MS) continue;
      await nextTurn();
      began = performance.now();
    }
    this.#runs = false;
  }

  #next(): (() => Promise<void>) | undefined {
    return this.#waiting.take() ?? (this.#waiting.length === 0 ? this.#last.shift() : undefined);
  }
}

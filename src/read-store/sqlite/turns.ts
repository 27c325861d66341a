import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long tasks may go on one after another before everybody else has a turn of the event loop. */
const SLICE_MS = 5;

/** Runs tasks one at a time, in the order in which they came. */
export class Turns {
  readonly #waiting: (() => Promise<void>)[] = [];
  #runs = false;

  run<Result>(task: () => Result | Promise<Result>): Promise<Result> {
    let begin = (): void => undefined;
    const turn = new Promise<void>((resolve) => (begin = resolve));
    const result = turn.then(task);
    this.#waiting.push(async () => {
      begin();
      await result.catch(() => undefined);
    });
    if (!this.#runs) void this.#runAll();
    return result;
  }

  async #runAll(): Promise<void> {
    this.#runs = true;
    let began = performance.now();
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      await next();
      if (performance.now() - began < SLICE_MS) continue;
      await nextTurn();
      began = performance.now();
    }
    this.#runs = false;
  }
}

/** Lets tasks have their turn one after another, in the order they came. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(task: () => Result | Promise<Result>): Promise<Result> {
    const mine = this.#last.then(task, task);
    this.#last = mine;
    return mine;
  }
}

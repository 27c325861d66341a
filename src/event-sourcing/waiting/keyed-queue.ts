/** A task. @param failure the error of the task before it with the same key, if it waited. */
type Task<Result> = (failure?: unknown) => Promise<Result>;

/** Runs tasks with the same key in the order of the calls, and with different keys at once. */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<Result>(key: string, task: Task<Result>): Promise<Result> {
    const before = this.#tails.get(key);
    const mine = before === undefined ? task() : before.then(() => task(), task);
    this.#tails.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(key) === mine) this.#tails.delete(key);
    }
  }
}

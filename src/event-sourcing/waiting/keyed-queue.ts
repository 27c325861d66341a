/** A task of the queue. @param failure the error of the previous task with the same key, if this task waited for it. */
type Task<Result> = (failure?: unknown) => Promise<Result>;

/** Runs tasks with the same key one after another, in the order of the calls, and tasks with different keys at once. */
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

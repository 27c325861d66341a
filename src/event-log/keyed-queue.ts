/** @param failure of the task before it, given to a task that waited. */
type Task<Result> = (failure?: unknown) => Promise<Result>;

/** Runs tasks that share a key one after another, in the order they came; tasks of different keys at once. */
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

/** Lets any number of snapshots go on at once, but for the moment of a change, which waits for them. */
export class SnapshotGate {
  readonly #running = new Set<Promise<unknown>>();
  #changing: Promise<unknown> | undefined;

  async snapshot<Result>(read: () => Promise<Result>): Promise<Result> {
    while (this.#changing) await this.#changing;
    const running = read();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  async change(work: () => void): Promise<void> {
    while (this.#changing) await this.#changing;
    this.#changing = Promise.allSettled(this.#running).then(work);
    try {
      await this.#changing;
    } finally {
      this.#changing = undefined;
    }
  }
}

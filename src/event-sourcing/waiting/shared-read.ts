import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Lets callers share a read. Callers who ask in one turn of the event loop, or during a read, share
 * the next one, so nobody gets what was read before they asked. When a read fails, callers who wait
 * for the next one fail too, because nobody should wait twice for a source that does not answer.
 */
export class SharedRead<Result> {
  #current: Promise<unknown> = Promise.resolve();
  #next: Promise<Result> | undefined;

  constructor(private readonly source: () => Promise<Result>) {}

  read(): Promise<Result> {
    this.#next ??= this.#afterCurrent();
    return this.#next;
  }

  async #afterCurrent(): Promise<Result> {
    try {
      await Promise.all([this.#current, nextTurn()]);
    } finally {
      this.#next = undefined;
    }
    const mine = this.source();
    this.#current = mine;
    mine.catch(() => {
      this.#current = Promise.resolve();
    });
    return mine;
  }
}

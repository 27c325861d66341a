import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Lets callers share a read: those who ask in one turn of the event loop, or while a read is under way, get the next
 * one, together, so that nobody is given a result that was read before they asked. When that under way fails, so do
 * they: whoever does not answer must not be waited for twice.
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

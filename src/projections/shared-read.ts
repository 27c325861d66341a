import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Lets callers share a read: those who ask in one turn of the event loop, or while a read is under way, get the next
 * one, together, so that nobody is given a result that was read before they asked.
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
    await Promise.all([this.#current, nextTurn()]);
    this.#next = undefined;
    const mine = this.source();
    this.#current = mine.catch(() => undefined);
    return mine;
  }
}

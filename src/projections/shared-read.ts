/**
 * Lets callers share a read: those who ask while one is under way get the next one, together, so that nobody
 * is given a result that was read before they asked.
 */
export class SharedRead<Result> {
  #current: Promise<Result> | undefined;
  #next: Promise<Result> | undefined;

  constructor(private readonly source: () => Promise<Result>) {}

  read(): Promise<Result> {
    if (!this.#current) return this.#begin();
    this.#next ??= this.#current.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  #begin(): Promise<Result> {
    this.#next = undefined;
    const mine = this.source().finally(() => {
      if (this.#current === mine) this.#current = undefined;
    });
    this.#current = mine;
    return mine;
  }
}

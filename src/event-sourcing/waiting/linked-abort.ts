/**
 * A signal that aborts when a cause aborts or `abort` is called. `unlink` detaches it from its
 * causes: a long-lived cause would keep every signal in memory that `AbortSignal.any` made from it.
 */
export class LinkedAbort {
  readonly #controller = new AbortController();
  readonly #causes: readonly AbortSignal[];
  readonly abort = (): void => this.#controller.abort();

  constructor(...causes: readonly AbortSignal[]) {
    this.#causes = causes;
    for (const cause of causes) cause.addEventListener('abort', this.abort);
    if (causes.some(({ aborted }) => aborted)) this.abort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  unlink(): void {
    for (const cause of this.#causes) cause.removeEventListener('abort', this.abort);
  }
}

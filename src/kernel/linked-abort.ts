/**
 * A signal that aborts when one of others does, or when it is told to. Unlike AbortSignal.any, of which a long-lived
 * signal collects all that were ever made from it, it can be let go of.
 */
export class LinkedAbort {
  readonly #controller = new AbortController();
  readonly #causes: readonly AbortSignal[];
  /** Aborts it. */
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

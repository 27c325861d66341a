/**
 * Knows for how long something was always found the same, by the clock of this process alone: clocks of several
 * machines are never compared.
 */
export class UnchangedSince {
  readonly #seen = new Map<string, { readonly as: string; readonly since: number }>();

  /** @returns for how many milliseconds `name` has looked like this whenever it was looked at. */
  look(name: string, as: string): number {
    const now = performance.now();
    const before = this.#seen.get(name);
    if (before?.as === as) return now - before.since;
    this.#seen.set(name, { as, since: now });
    return 0;
  }

  forget(name: string): void {
    this.#seen.delete(name);
  }
}

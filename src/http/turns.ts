/** Gives a place back; once, however often it is called. */
export type GiveBack = () => void;

interface Line {
  taken: number;
  /** In the order in which they came. */
  readonly waiting: Set<(giveBack: GiveBack) => void>;
}

/** Gives each owner so many places at once; others of the same owner wait in order. */
export class Turns {
  readonly #lines = new Map<string, Line>();

  constructor(private readonly atOnce: number) {}

  /** Takes a place. @returns undefined when none of the owner's is free. */
  take(owner: string): GiveBack | undefined {
    const line = this.#lines.get(owner) ?? { taken: 0, waiting: new Set() };
    if (line.taken >= this.atOnce) return undefined;
    line.taken += 1;
    this.#lines.set(owner, line);
    return this.#place(owner, line);
  }

  /**
   * Waits for a place of an owner who has none free.
   * @param enter called with the place.
   * @returns a function that leaves the line.
   */
  wait(owner: string, enter: (giveBack: GiveBack) => void): () => void {
    const waiting = this.#lines.get(owner)?.waiting;
    if (!waiting) throw new Error('only an owner whose places are taken waits');
    waiting.add(enter);
    return () => void waiting.delete(enter);
  }

  #place(owner: string, line: Line): GiveBack {
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      for (const enter of line.waiting) {
        line.waiting.delete(enter);
        enter(this.#place(owner, line));
        return;
      }
      line.taken -= 1;
      if (line.taken === 0) this.#lines.delete(owner);
    };
  }
}

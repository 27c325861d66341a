/** A fair queue: owners take turns, so that a long line of one owner holds up no other. */
export class FairQueue<Item> {
  /** The items of each owner in their order. The owner with the next turn comes first. */
  readonly #lines = new Map<string, Item[]>();
  /** The items of owners who have no turn until they are released. */
  readonly #held = new Map<string, Item[]>();
  #length = 0;

  /** How many items wait, those of held owners too. */
  get length(): number {
    return this.#length;
  }

  push(owner: string, item: Item): void {
    const line = this.#held.get(owner) ?? this.#lines.get(owner);
    if (line) line.push(item);
    else this.#lines.set(owner, [item]);
    this.#length += 1;
  }

  /** Takes the first item of the owner with the next turn. @returns undefined when nothing waits that may be taken. */
  take(): Item | undefined {
    for (const [owner, line] of this.#lines) {
      const item = line.shift();
      this.#lines.delete(owner);
      if (line.length > 0) this.#lines.set(owner, line);
      this.#length -= 1;
      return item;
    }
    return undefined;
  }

  /** Gives an owner no turn until `release`. */
  hold(owner: string): void {
    if (this.#held.has(owner)) return;
    this.#held.set(owner, this.#lines.get(owner) ?? []);
    this.#lines.delete(owner);
  }

  /** Gives a held owner turns again, behind all others. */
  release(owner: string): void {
    const line = this.#held.get(owner) ?? [];
    this.#held.delete(owner);
    if (line.length > 0) this.#lines.set(owner, line);
  }
}
